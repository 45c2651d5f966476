import { send } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aKey, aResource, aSlot, create } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeEach(async () => {
  running = await startApp();
  service = api(running.url);
});
afterEach(() => running.close());

const metrics = async (): Promise<string> => (await service.get('/metrics').expect(200)).text;

describe('Health', () => {
  it.each(['live', 'ready'])('reports that the service is %s', async (state) => {
    const { body } = await service.get(`/health/${state}`).expect(200);
    expect(body).toEqual({ status: 'ok' });
  });
});

describe('The metrics', () => {
  it('are in the format of Prometheus, with those of the process', async () => {
    const { text, headers } = await service.get('/metrics').expect(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
  });

  it('count the responses by operation and status', async () => {
    const { booking_id } = await create(service);
    await service.get(`/v1/bookings/${booking_id}`).expect(200);
    await service.get('/v1/bookings/nothing').expect(404);
    await service.get('/v1/bookings?limit=0').expect(400);
    const text = await metrics();
    for (const [operation, status] of [
      ['createBooking', 201],
      ['getBooking', 200],
      ['getBooking', 404],
      ['listBookings', 400],
    ]) {
      expect(text).toContain(`http_request_duration_seconds_count{operation="${operation}",status="${status}"} 1\n`);
    }
  });

  it('count bookings, replays and rejected slots', async () => {
    const slot = aSlot(aResource());
    const key = aKey();
    await create(service);
    await service.post('/v1/bookings').set('Idempotency-Key', key).send({ slot }).expect(201);
    await service.post('/v1/bookings').set('Idempotency-Key', key).send({ slot }).expect(201);
    for (let rejected = 0; rejected < 3; rejected++) await service.post('/v1/bookings').send({ slot }).expect(409);
    const text = await metrics();
    expect(text).toMatch(/^bookings_created_total 2$/m);
    expect(text).toMatch(/^bookings_replayed_total 1$/m);
    expect(text).toMatch(/^bookings_slots_taken_total 3$/m);
  });

  it('have the duration of the operations of the store, by outcome', async () => {
    const { booking_id } = await create(service);
    await service.get(`/v1/bookings/${booking_id}`).expect(200);
    await service.get('/v1/bookings').expect(200);
    const text = await metrics();
    for (const labels of ['create",outcome="created', 'find",outcome="ok', 'list",outcome="ok']) {
      expect(text).toContain(`bookings_store_duration_seconds_count{operation="${labels}"} 1\n`);
    }
  });

  // One connection for the readiness check, one for the create.
  it('have the state of the pool, if there is one', async () => {
    await create(service);
    const found = [...(await metrics()).matchAll(/^database_(\w+) (\d+)$/gm)].map(([, name, value]) => [name, value]);
    const pool = [
      ['pool_connections', '2'],
      ['pool_idle_connections', '2'],
      ['pool_max_connections', '10'],
      ['pool_waiting_statements', '0'],
      ['up', '1'],
    ];
    expect(found).toEqual(process.env['TEST_STORE'] === 'postgres' ? pool : []);
  });

  it('have the load and the limits of the server, and its build', async () => {
    const text = await metrics();
    expect(text).toMatch(/^http_requests_in_flight 1$/m);
    expect(text).toMatch(/^http_connections [1-9]\d*$/m);
    expect(text).toMatch(/^http_max_connections 2000$/m);
    expect(text).toMatch(/^booking_service_build_info\{version="\d+\.\d+\.\d+-preview\.\d+",node="v\d+[\d.]+"\} 1$/m);
  });

  it('have no label that a caller can choose, and name no booking and no key', async () => {
    const key = aKey();
    const { body } = await service.post('/v1/bookings').set('Idempotency-Key', key).send({ secret: 'hidden' });
    await service.get('/made-up').expect(404);
    await send(running.url, { method: 'PROPFIND', target: '/v1/bookings/made-up' });
    await service.get('/v1/bookings').query({ resource_id: 'made-up' }).expect(200);
    const text = await metrics();
    for (const part of ['made-up', 'PROPFIND', key, 'hidden', (body as { booking_id: string }).booking_id]) {
      expect(text).not.toContain(part);
    }
    expect(text).toContain('operation="other",status="404"');
  });

  it('are those of one application', async () => {
    await create(service);
    const another = await startApp();
    try {
      expect((await api(another.url).get('/metrics').expect(200)).text).not.toContain('createBooking');
    } finally {
      await another.close();
    }
  });
});
