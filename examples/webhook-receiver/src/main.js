import { createReceiver } from './receiver.js';

const { WEBHOOK_SECRETS = '', EVENTS_FILE = 'events.jsonl', PORT = '4000' } = process.env;
const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);

createReceiver({
  secrets: WEBHOOK_SECRETS.split(' '),
  file: EVENTS_FILE,
  onEvent: ({ type, sequence, data }) => {
    const what = type === 'bookings.booking.deleted' ? 'deleted' : 'created';
    print(`${Number(sequence)} ${what} ${data.booking_id} ${data.slot?.resource_id ?? ''}`);
  },
  onGap: (last) => print(`waiting for what follows ${Number(last)}`),
  onFault: (error) => print(String(error)),
}).listen(Number(PORT), () => print(`Receives events on http://localhost:${PORT}`));
