import { createReceiver } from './receiver.js';

const { WEBHOOK_SECRETS = '', EVENTS_FILE = 'events.jsonl', PORT = '4000' } = process.env;

createReceiver({
  secrets: WEBHOOK_SECRETS.split(' '),
  file: EVENTS_FILE,
  onEvent: ({ type, data }) => {
    const what = type === 'bookings.booking.deleted' ? 'deleted' : 'created';
    console.log(`${what} ${data.booking_id} ${data.slot?.resource_id ?? ''}`);
  },
  onError: (error) => console.log(String(error)),
}).listen(Number(PORT), () => console.log(`Receives events on http://localhost:${PORT}`));
