import { createReceiver } from './receiver.js';

const { WEBHOOK_SECRETS = '', EVENTS_FILE = 'events.jsonl', PORT = '4000' } = process.env;
const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);

createReceiver({
  secrets: WEBHOOK_SECRETS.split(' '),
  file: EVENTS_FILE,
  onEvent: ({ type, data }) => {
    const what = type === 'bookings.booking.deleted' ? 'deleted' : 'created';
    print(`${what} ${data.booking_id} ${data.slot?.resource_id ?? ''}`);
  },
  onError: (error) => print(String(error)),
}).listen(Number(PORT), () => print(`Receives events on http://localhost:${PORT}`));
