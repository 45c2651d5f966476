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

describe('The metrics', () => {
  it('are in the format of Prometheus, with those of the process, of the server and of its build', async () => {
    const { text, headers } = await service.get('/metrics').expect(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of [
      /^process_resident_memory_bytes \d/m,
      /^nodejs_eventloop_lag_seconds /m,
      /^http_requests_in_flight 1$/m,
      /^http_connections [1-9]\d*$/m,
      /^http_max_connections 2000$/m,
      /^booking_service_build_info\{version="\d+\.\d+\.\d+-preview\.\d+",node="v\d+[\d.]+"\} 1$/m,
    ])
      expect(text).toMatch(line);
    expect(text).not.toMatch(/^database_/m);
  });

  it('count responses, bookings, replays, rejected slots and operations of the store of their application', async () => {
    const another = await startApp();
    const slot = aSlot(aResource());
    const book = (status: number, key = aKey()) =>
      service.post('/v1/bookings').set('Idempotency-Key', key).send({ slot }).expect(status);
    const key = aKey();
    const { body } = await book(201, key);
    await book(201, key);
    for (let rejected = 0; rejected < 3; rejected++) await book(409);
    await service.get(`/v1/bookings/${(body as { booking_id: string }).booking_id}`).expect(200);
    await service.get('/v1/bookings/nothing').expect(404);
    await service.get('/v1/bookings?limit=0').expect(400);
    await service.get('/v1/bookings').expect(200);
    const lines = (await metrics()).split('\n');
    for (const line of [
      'http_request_duration_seconds_count{operation="createBooking",status="201"} 2',
      'http_request_duration_seconds_count{operation="createBooking",status="409"} 3',
      'http_request_duration_seconds_count{operation="getBooking",status="404"} 1',
      'http_request_duration_seconds_count{operation="listBookings",status="400"} 1',
      'bookings_created_total 1',
      'bookings_replayed_total 1',
      'bookings_slots_taken_total 3',
      'bookings_store_duration_seconds_count{operation="create",outcome="created"} 1',
      'bookings_store_duration_seconds_count{operation="find",outcome="ok"} 2',
      'bookings_store_duration_seconds_count{operation="list",outcome="ok"} 1',
    ])
      expect(lines).toContain(line);
    expect((await api(another.url).get('/metrics').expect(200)).text).not.toContain('createBooking');
    await another.close();
  });

  it('have no label that a caller can choose, and name no booking and no key', async () => {
    const key = aKey();
    const { booking_id } = await create(service, { secret: 'hidden' });
    await service.post('/v1/bookings').set('Idempotency-Key', key).send({}).expect(201);
    await service.get('/made-up').expect(404);
    await send(running.url, { method: 'PROPFIND', target: '/v1/bookings/made-up' });
    await service.get('/v1/bookings').query({ resource_id: 'made-up' }).expect(200);
    const text = await metrics();
    for (const part of ['made-up', 'PROPFIND', key, 'hidden', booking_id]) expect(text).not.toContain(part);
    expect(text).toContain('operation="other",status="404"');
  });
});
