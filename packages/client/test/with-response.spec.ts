import { execFileSync } from 'node:child_process';
import { BookingNotFoundError, BookingsClient, SlotTakenError } from '../src/index.js';
import { booking, json, problem, ScriptedService } from './scripted-service.js';

const service = await ScriptedService.start();
const client = new BookingsClient({ baseUrl: service.baseUrl, maxRetries: 0 });

describe('without the headers that `fetch` hides, as SvelteKit does', () => {
  const hiding: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    response.headers.get = (name) => {
      throw new Error(`${name} is hidden`);
    };
    return response;
  };
  const shown = new BookingsClient({ baseUrl: service.baseUrl, fetch: hiding, maxRetries: 0 });

  it('calls return what they do with them', async () => {
    service.respondsWith(json(200, booking, { etag: '"v1"', 'x-request-id': 'r-1' }));
    await expect(shown.get('b1')).resolves.toEqual(booking);
    service.respondsWith(json(200, { bookings: [booking], next_cursor: null }, { etag: '"p1"' }));
    await expect(shown.list()).resolves.toMatchObject({ bookings: [booking] });
  });

  it('errors have their class', async () => {
    service.respondsWith(problem(404, 'booking-not-found', {}, { 'x-request-id': 'r-1', 'retry-after': '1' }));
    await expect(shown.get('b1')).rejects.toThrow(BookingNotFoundError);
  });

  it('a header that is asked for is the error of `fetch`', async () => {
    service.respondsWith(json(200, booking, { 'x-request-id': 'r-1' }));
    const response = await shown.get('b1').withResponse();
    expect(() => response.requestId).toThrow('x-request-id is hidden');
  });
});

describe('withResponse', () => {
  it('has the booking of a create with status, headers and request id, from one request', async () => {
    service.respondsWith(json(201, booking, { 'x-request-id': 'r-1', location: '/v1/bookings/b1' }));
    const { headers, ...response } = await client.create({ guest: 'Ada' }).withResponse();
    expect(response).toEqual({ data: booking, status: 201, requestId: 'r-1', replayed: false });
    expect(headers.get('location')).toBe('/v1/bookings/b1');
    expect(service.requests).toHaveLength(1);
  });

  it('rejects with the error of the call, and the promise of the call does too', async () => {
    service.respondsWith(problem(409, 'slot-taken'));
    const call = client.create({});
    await expect(call.withResponse()).rejects.toThrow(SlotTakenError);
    await expect(call).rejects.toThrow(SlotTakenError);
    expect(service.requests).toHaveLength(1);
  });

  it('leaves no unhandled rejection of a handled call, and one of an unhandled call', () => {
    const program = `
      import { BookingsClient } from '@booking-service/client';
      const fetch = async () => new Response('{}', { status: 409 });
      const client = new BookingsClient({ baseUrl: 'http://localhost', fetch });
      let unhandled = 0;
      process.on('unhandledRejection', () => unhandled++);
      const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
      await client.create({}).catch(() => {});
      await client.create({}).withResponse().catch(() => {});
      await settled();
      const handled = unhandled;
      client.create({});
      client.create({}).withResponse();
      await settled();
      console.log(handled, unhandled);`;
    const cwd = new URL('..', import.meta.url);
    const args = ['--input-type=module', '--eval', program];
    expect(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' })).toBe('0 2\n');
  });
});
