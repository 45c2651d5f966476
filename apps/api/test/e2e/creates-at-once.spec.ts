import type { BookingDto } from '@booking-service/contracts';
import { type Api, api } from '../support/api.js';
import { aKey, aProblem, aResource, aSlot, list } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
let resource: string;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());
beforeEach(() => {
  resource = aResource();
});

/** More than the conformance kit has under way, and as many as PostgreSQL takes in one statement. */
const AT_ONCE = 64;

const atOnce = (payloadOf: (n: number) => object, headersOf: (n: number) => Record<string, string> = () => ({})) =>
  Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => service.post('/v1/bookings').set(headersOf(n)).send(payloadOf(n))),
  );

describe(`${AT_ONCE} creates at once`, () => {
  it('for one window make exactly one booking', async () => {
    const responses = await atOnce((n) => ({ slot: aSlot(resource), n }));
    const [winner, ...others] = responses.filter(({ status }) => status === 201);
    expect(others).toEqual([]);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(AT_ONCE - 1);
    expect((await list(service, { resource_id: resource })).bookings).toEqual([winner!.body]);
  });

  it('for windows that overlap in part make bookings that do not', async () => {
    await atOnce((n) => ({ slot: aSlot(resource, (n * 7) % 32, ((n * 7) % 32) + 3) }));
    const { bookings } = await list(service, { resource_id: resource, sort: 'start', limit: 100 });
    expect(bookings.length).toBeGreaterThan(0);
    for (const [index, { slot }] of bookings.entries()) {
      const next = bookings[index + 1]?.slot;
      expect(next === undefined || slot!.end <= next.start).toBe(true);
    }
  });

  it('with one key make one booking, which all of them get', async () => {
    const key = { 'Idempotency-Key': aKey() };
    const responses = await atOnce(
      () => ({ slot: aSlot(resource) }),
      () => key,
    );
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect((await list(service, { resource_id: resource })).bookings).toEqual([responses[0]!.body]);
  });

  it('with one key and different payloads make one booking', async () => {
    const key = { 'Idempotency-Key': aKey() };
    const responses = await atOnce(
      (n) => ({ n }),
      () => key,
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { body } of responses.filter(({ status }) => status !== 201)) {
      expect(body).toMatchObject(aProblem('idempotency-key-reused'));
    }
  });

  it('with keys of their own for a few windows make one booking for each window, and replay it', async () => {
    const keys = Array.from({ length: AT_ONCE }, aKey);
    const race = () =>
      atOnce(
        (n) => ({ slot: aSlot(resource, n % 8), n }),
        (n) => ({ 'Idempotency-Key': keys[n]! }),
      );
    const idsOf = (responses: Awaited<ReturnType<typeof race>>): string[] =>
      responses.filter(({ status }) => status === 201).map(({ body }) => (body as BookingDto).booking_id);
    const first = idsOf(await race());
    expect(first).toHaveLength(8);
    expect(idsOf(await race()).toSorted()).toEqual(first.toSorted());
  });
});
