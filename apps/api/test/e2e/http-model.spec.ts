import { Agent } from 'node:http';
import { type BookingDto, type BookingPageDto, type SlotDto, sortOrders } from '@booking-service/contracts';
import fc from 'fast-check';
import { send } from 'testing/raw-http';
import { aProblem, at } from '../support/bookings.js';
import { HttpModel, type ListQuery, type ModelPayload } from '../support/http-model.js';
import { startApp } from '../support/start-app.js';

interface Real {
  url: string;
  agent: Agent;
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Command = fc.AsyncCommand<HttpModel, Real>;

const hour = fc.integer({ min: 0, max: 12 });
const resource = fc.constantFrom('room', 'Room', 'hall');

const slot = fc
  .tuple(resource, hour, fc.integer({ min: 1, max: 4 }))
  .map(([resource_id, start, length]): SlotDto => ({ resource_id, start: at(start), end: at(start + length) }));

const payload = fc.record(
  { slot, variant: fc.constantFrom('one', 'another'), note: fc.constant('always the same') },
  { requiredKeys: ['variant', 'note'] },
);

/** Two ways to write the same JSON, in other bytes. */
const spelling = fc.constantFrom(
  (members: ModelPayload) => JSON.stringify(members),
  (members: ModelPayload) => JSON.stringify(Object.fromEntries(Object.entries(members).toReversed()), null, 1),
);

const key = fc.option(fc.constantFrom('k1', 'k2', '"k2"', 'k3', 'k4'), { nil: undefined });

const create = fc.tuple(payload, spelling, key).map(([members, spell, key]): Command => ({
  check: () => true,
  async run(model, real) {
    const expected = model.judge(members, key);
    const { status, headers, text } = await post(real, spell(members), key);
    switch (expected.kind) {
      case 'created':
        expect(status).toBe(201);
        expect(headers).not.toHaveProperty('idempotent-replayed');
        expect(JSON.parse(text)).toEqual({
          booking_id: expect.stringMatching(UUID_V7),
          created_at: expect.any(String),
          ...members,
        });
        expect(model.find((JSON.parse(text) as BookingDto).booking_id)).toBeUndefined();
        model.keep(text, members, key);
        break;
      case 'replayed':
        expect({ status, text }).toEqual({ status: 201, text: expected.text });
        expect(headers['idempotent-replayed']).toBe('true');
        break;
      case 'key-reused':
        expect(JSON.parse(text)).toMatchObject(aProblem('idempotency-key-reused'));
        break;
      case 'slot-taken':
        expect(JSON.parse(text)).toMatchObject(aProblem('slot-taken'));
        expect(expected.held).toContainEqual((JSON.parse(text) as { conflicting_slot: SlotDto }).conflicting_slot);
        break;
    }
  },
  toString: () => `create(${spell(members)}, ${key})`,
}));

const retry = fc.tuple(fc.nat(), spelling).map(([pick, spell]): Command => ({
  check: (model) => model.keyed().length > 0,
  async run(model, real) {
    const { payload, key, text } = model.keyed()[pick % model.keyed().length]!;
    const response = await post(real, spell(payload), key);
    expect(response).toMatchObject({ status: 201, text });
    expect(response.headers['idempotent-replayed']).toBe('true');
  },
  toString: () => `retry(${pick}, ${spell({ variant: '', note: '' })})`,
}));

const invalid = fc
  .tuple(
    fc.constantFrom(
      ['{"slot":null}', 422] as const,
      ['{"booking_id":"mine"}', 422] as const,
      [`{"slot":{"resource_id":"room","start":"${at(1)}","end":"${at(1)}"}}`, 422] as const,
      ['{', 400] as const,
    ),
    key,
  )
  .map(([[json, status], key]): Command => ({
    check: () => true,
    run: async (_, real) => expect((await post(real, json, key)).status).toBe(status),
    toString: () => `invalid(${json}, ${key})`,
  }));

const getKnown = fc.nat().map((pick): Command => ({
  check: ({ bookings }) => bookings.length > 0,
  async run({ bookings }, { url, agent }) {
    const { booking, text } = bookings[pick % bookings.length]!;
    const got = await send(url, { target: `/v1/bookings/${booking.booking_id}`, agent });
    expect(got).toMatchObject({ status: 200, text });
  },
  toString: () => `getKnown(${pick})`,
}));

const getUnknown = fc.uuid({ version: 7 }).map((id): Command => ({
  check: (model) => model.find(id) === undefined,
  async run(_, { url, agent }) {
    expect((await send(url, { target: `/v1/bookings/${id}`, agent })).status).toBe(404);
  },
  toString: () => `getUnknown(${id})`,
}));

const query = fc.record(
  {
    resource_id: resource,
    from: hour.map(at),
    to: hour.map(at),
    sort: fc.constantFrom(...sortOrders),
    limit: fc.integer({ min: 1, max: 6 }),
  },
  { requiredKeys: [] },
);

const unfilteredQuery = fc.record({ sort: fc.constantFrom(...sortOrders), limit: fc.integer({ min: 1, max: 6 }) });

const walk = fc.oneof(query, unfilteredQuery).map((listQuery: ListQuery): Command => ({
  check: () => listQuery.from === undefined || listQuery.to === undefined || listQuery.from < listQuery.to,
  async run(model, real) {
    const rest = model.list(listQuery).map(({ text }) => text);
    let cursor: string | null = null;
    do {
      const { status, text } = await list(real, listQuery, cursor);
      expect(status).toBe(200);
      cursor = (JSON.parse(text) as BookingPageDto).next_cursor;
      const page = rest.splice(0, listQuery.limit ?? 20);
      expect(text).toBe(`{"bookings":[${page.join(',')}],"next_cursor":${JSON.stringify(cursor)}}`);
      expect(cursor === null).toBe(rest.length === 0);
    } while (cursor !== null);
  },
  toString: () => `walk(${JSON.stringify(listQuery)})`,
}));

function post({ url, agent }: Real, body: string, key: string | undefined) {
  const headers = { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) };
  return send(url, { method: 'POST', target: '/v1/bookings', headers, body, agent });
}

function list({ url, agent }: Real, listQuery: ListQuery, cursor: string | null) {
  const query = new URLSearchParams({ ...(listQuery as Record<string, string>), ...(cursor !== null && { cursor }) });
  return send(url, { target: `/v1/bookings?${query.toString()}`, agent });
}

/** Each history has its own service; one with its own database takes longer to start. */
const RUNS = process.env['TEST_STORE'] === 'postgres' ? 20 : 100;

describe('The service', () => {
  it(`behaves like a plain list of bookings over ${RUNS} random histories of up to 40 requests`, async () => {
    const commands = fc.commands([create, create, create, retry, invalid, getKnown, getUnknown, walk, walk], {
      maxCommands: 40,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(commands, async (history) => {
        const running = await startApp();
        const agent = new Agent({ keepAlive: true });
        try {
          await fc.asyncModelRun(() => ({ model: new HttpModel(), real: { url: running.url, agent } }), history);
        } finally {
          agent.destroy();
          await running.close();
        }
      }),
      { numRuns: RUNS },
    );
  });
});
