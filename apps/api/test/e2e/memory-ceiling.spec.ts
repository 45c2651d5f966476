import { type Api, api } from '../support/api.js';
import { aProblem, aResource, aSlot, create, list } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

describe('A store in memory that is full', () => {
  let running: RunningApp;
  let service: Api;
  const slot = aSlot(aResource());
  const key = { 'Idempotency-Key': 'first' };

  beforeAll(async () => {
    running = await startApp({ MEMORY_MAX_BOOKINGS: '3' });
    service = api(running.url);
    await service.post('/v1/bookings').set(key).send({ slot }).expect(201);
    await create(service);
    await create(service);
  });
  afterAll(() => running.close());

  it('rejects a create as unavailable, says when to retry, and keeps nothing of it', async () => {
    const before = await list(service);
    for (const payload of [{}, { slot: aSlot(aResource()) }]) {
      const { body, headers } = await service
        .post('/v1/bookings')
        .set('Idempotency-Key', 'next')
        .send(payload)
        .expect(503);
      expect(body).toMatchObject(aProblem('unavailable'));
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await list(service)).toEqual(before);
    expect(before.bookings).toHaveLength(3);
  });

  it('says so in the log, as a warning without a stack', async () => {
    await service.post('/v1/bookings').send({}).expect(503);
    const line = JSON.parse(running.logged.at(-1)!) as object;
    expect(line).toMatchObject({ level: 'warn', msg: 'Request failed', operation: 'createBooking', status: 503 });
    expect(line).not.toHaveProperty('err');
  });

  it('still replays, gets and lists', async () => {
    const replay = await service.post('/v1/bookings').set(key).send({ slot }).expect(201);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect((await service.get(replay.headers['location']!).expect(200)).text).toBe(replay.text);
    expect((await list(service, { sort: 'created_at' })).bookings[0]).toEqual(replay.body);
  });

  it('still rejects a create for any other reason as before', async () => {
    await service.post('/v1/bookings').send({ slot }).expect(409);
    await service.post('/v1/bookings').send({ slot: null }).expect(422);
    await service.post('/v1/bookings').set(key).send({ another: 1 }).expect(422);
  });

  it('is ready, because it can read', async () => {
    await service.get('/health/ready').expect(200);
  });
});
