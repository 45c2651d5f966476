import { execFileSync } from 'node:child_process';
import { BookingsClient, SlotTakenError } from '../src/index.js';
import { json, problem, ScriptedService, text } from './scripted-service.js';

const booking = { booking_id: 'b1', created_at: '2026-11-20T18:12:03.417Z', guest: 'Ada' };
const page = { bookings: [booking], next_cursor: null };

let service: ScriptedService;
let client: BookingsClient;

beforeAll(async () => {
  service = await ScriptedService.start();
  client = new BookingsClient({ baseUrl: service.baseUrl, maxRetries: 0 });
});

afterAll(() => service.stop());

describe('withResponse', () => {
  it('has the booking of a create with status, headers and request id, from one request', async () => {
    service.respondsWith(json(201, booking, { 'x-request-id': 'r-1', location: '/v1/bookings/b1' }));
    const { data, status, headers, requestId, replayed } = await client.create({ guest: 'Ada' }).withResponse();
    expect({ data, status, requestId, replayed }).toEqual({
      data: booking,
      status: 201,
      requestId: 'r-1',
      replayed: false,
    });
    expect(headers.get('location')).toBe('/v1/bookings/b1');
    expect(service.requests).toHaveLength(1);
  });

  it('says that a create was replayed', async () => {
    service.respondsWith(json(201, booking, { 'idempotent-replayed': 'true' }));
    expect(await client.create({ guest: 'Ada' }).withResponse()).toMatchObject({ data: booking, replayed: true });
  });

  it('has the page of a list', async () => {
    service.respondsWith(json(200, page));
    const response = await client.list().withResponse();
    expect(response).toMatchObject({ data: page, status: 200, replayed: false });
    expect(response.requestId).toBeUndefined();
  });

  it('has the known booking and the status 304 where nothing changed', async () => {
    service.respondsWith(json(201, booking, { etag: '"v1"' }), text(304, '', { etag: '"v1"' }));
    const known = await client.create({ guest: 'Ada' });
    const { data, status } = await client.get('b1', { known }).withResponse();
    expect(data).toBe(known);
    expect(status).toBe(304);
  });

  it('rejects with the error of the call, and the promise of the call does too', async () => {
    service.respondsWith(problem(409, 'slot-taken'));
    const call = client.create({});
    await expect(call.withResponse()).rejects.toThrow(SlotTakenError);
    await expect(call).rejects.toThrow(SlotTakenError);
    expect(service.requests).toHaveLength(1);
  });

  it('rejects with a TypeError for arguments that cannot be sent', async () => {
    await expect(client.get('').withResponse()).rejects.toThrow(TypeError);
    await expect(client.create(undefined as never).withResponse()).rejects.toThrow(TypeError);
  });

  it('leaves one unhandled rejection of a call that is not handled, and none of one that is', () => {
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
      const lookedAt = unhandled;
      client.create({});
      client.create({}).withResponse();
      await settled();
      console.log(lookedAt, unhandled);`;
    const cwd = new URL('..', import.meta.url);
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd,
      encoding: 'utf8',
    });
    expect(printed).toBe('0 2\n');
  });
});
