/** Rejects its first events, which the service sends again: `node src/after-a-bad-day.js SECRET [REJECTED]`. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseBookingEvent } from '@booking-service/client/events';

const [secret = '', rejected = '2'] = process.argv.slice(2);
const { PORT = '4000' } = process.env;
let requests = 0;

const server = createServer((request, response) => {
  const isBadDay = (requests += 1) <= Number(rejected);
  text(request)
    .then((body) => parseBookingEvent(body, request.headers, secret))
    .then(({ id }) => {
      console.log(`${isBadDay ? 'rejected' : 'took'} ${id}`);
      return response.writeHead(isBadDay ? 400 : 204).end();
    })
    .catch(() => response.writeHead(400).end());
});
server.listen(Number(PORT), () => console.log(`Receives events on http://localhost:${PORT}`));
