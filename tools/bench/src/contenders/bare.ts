import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Payload, BookingsMap } from './bookings-map.js';

// The limit: what Node's own server costs with nothing but parsing, a map and rendering.
const PATH = '/v1/bookings';
const bookings = new BookingsMap();

createServer((request, response) => {
  const { method, url = '' } = request;
  if (method === 'POST' && url === PATH) create(request, response);
  else if (method === 'GET' && url === PATH) respond(response, 200, { bookings: bookings.list() });
  else if (method === 'GET' && url.startsWith(`${PATH}/`)) get(url.slice(PATH.length + 1), response);
  else respond(response, 404, { title: 'Not found' });
}).listen(Number(process.env['PORT']), process.env['HOST']);

function get(id: string, response: ServerResponse): void {
  const booking = bookings.get(id);
  if (booking === undefined) respond(response, 404, { title: 'Not found' });
  else respond(response, 200, booking);
}

function create(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    try {
      const key = request.headers['idempotency-key'];
      const booking = bookings.create(JSON.parse(body) as Payload, key?.toString());
      if (booking === undefined) respond(response, 409, { title: 'The slot is taken' });
      else respond(response, 201, booking);
    } catch {
      respond(response, 400, { title: 'Not JSON' });
    }
  });
}

function respond(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
