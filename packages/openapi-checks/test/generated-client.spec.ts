import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import createClient from 'openapi-fetch';
import type { paths } from '../dist/openapi.js';

/** The built service as a process of its own, in memory, on any free port. */
function startService(): ChildProcess {
  const program = fileURLToPath(new URL('dist/main.js', import.meta.resolve('api/package.json')));
  return spawn(process.execPath, [program], { env: { PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function urlOf(service: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of service.stdout!) {
    printed += String(chunk);
    const [, port] = /http:\/\/localhost:(\d+)\D/.exec(printed) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`The service did not start: ${printed}`);
}

describe('A client that openapi-typescript and openapi-fetch make of the document', () => {
  let service: ChildProcess;
  let client: ReturnType<typeof createClient<paths>>;

  beforeAll(async () => {
    service = startService();
    client = createClient<paths>({ baseUrl: await urlOf(service) });
  }, 30_000);
  afterAll(async () => {
    service.kill('SIGTERM');
    await once(service, 'exit');
  });

  const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };

  it('makes a booking, reads it and finds it in the list', async () => {
    const created = await client.POST('/v1/bookings', { body: { slot, guest: { name: 'Ada' } } });
    expect(created.response.status).toBe(201);
    const booking = created.data!;
    expect(booking).toMatchObject({ slot, guest: { name: 'Ada' } });
    const params = { path: { booking_id: booking.booking_id } };
    expect((await client.GET('/v1/bookings/{booking_id}', { params })).data).toEqual(booking);
    const { data: page } = await client.GET('/v1/bookings', {
      params: { query: { resource_id: 'room-7', sort: 'start', limit: 5 } },
    });
    expect(page).toEqual({ bookings: [booking], next_cursor: null });
  });

  it('has the types of the problems', async () => {
    const elsewhere = { ...slot, resource_id: 'room-8' };
    await client.POST('/v1/bookings', { body: { slot: elsewhere } });
    const { error } = await client.POST('/v1/bookings', { body: { slot: elsewhere } });
    expect(error?.type).toBe('urn:problem-type:bookings:slot-taken');
    expect(error?.conflicting_slot?.resource_id).toBe('room-8');
  });
});
