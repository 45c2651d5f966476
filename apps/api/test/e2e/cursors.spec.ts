import { Agent } from 'node:http';
import { sortOrders } from '@booking-service/contracts';
import { send } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aProblem, aResource, aSlot, at, create, idsOf, list, pointersOf, walk } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
const agent = new Agent({ keepAlive: true });
const resource = aResource();

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
  for (let hour = 0; hour < 6; hour++) {
    await create(service, { slot: aSlot(resource, hour) });
    await create(service, {});
  }
});
afterAll(async () => {
  agent.destroy();
  await running.close();
});

async function aCursor(query: Record<string, string | number> = {}): Promise<string> {
  return (await list(service, { limit: 2, ...query })).next_cursor!;
}

const follow = (cursor: string, query: Record<string, string | number> = {}) =>
  service.get('/v1/bookings').query({ limit: 2, ...query, cursor });

async function expectRefused(pending: ReturnType<typeof follow>): Promise<void> {
  const { body } = await pending.expect(400);
  expect(body).toMatchObject(aProblem('invalid-request'));
  expect(pointersOf(body)).toEqual(['#/cursor']);
}

/** Each of its characters replaced by its nearest neighbour, and each left out. */
function damages(cursor: string): string[] {
  return Array.from(cursor).flatMap((character, index) => {
    const other = String.fromCodePoint(character.codePointAt(0)! ^ 1);
    const [before, after] = [cursor.slice(0, index), cursor.slice(index + 1)];
    return [before + other + after, before + after];
  });
}

describe('A cursor', () => {
  it.each(sortOrders)('under %s is refused when any of its characters is damaged', async (sort) => {
    // From the last booking with a slot to those without one, where start has nothing to go by.
    for (const limit of [2, 8]) {
      for (const damaged of damages(await aCursor({ sort, limit }))) {
        const target = `/v1/bookings?sort=${sort}&cursor=${encodeURIComponent(damaged)}`;
        const { status, text } = await send(running.url, { target, agent });
        expect({ damaged, status }).toEqual({ damaged, status: 400 });
        expect(pointersOf(JSON.parse(text))).toEqual(['#/cursor']);
      }
    }
  });

  it.each([
    ['in another case', (cursor: string) => cursor.toUpperCase()],
    ['with a character more', (cursor: string) => `${cursor}A`],
    ['with a character before', (cursor: string) => `A${cursor}`],
    ['with padding', (cursor: string) => `${cursor}=`],
    ['with a space', (cursor: string) => `${cursor} `],
    ['twice over', (cursor: string) => cursor + cursor],
    ['cut in half', (cursor: string) => cursor.slice(0, cursor.length / 2)],
    ['as its end alone', (cursor: string) => cursor.slice(-16)],
    ['as a booking id', () => '019aa1c2-6d1e-7c3a-9f0b-1f6f2f0d7a55'],
    ['as another word', () => 'null'],
    ['as 4,000 characters', () => 'x'.repeat(4_000)],
    ['as base64url of JSON', () => Buffer.from('[null,"x"]').toString('base64url')],
  ])('is refused %s', async (_, damage) => {
    await expectRefused(follow(damage(await aCursor())));
  });

  const filter = { resource_id: resource, from: at(0), to: at(20), sort: 'start' };

  it.each([
    ['another resource', { ...filter, resource_id: `${resource} ` }],
    ['no resource', { from: filter.from, to: filter.to, sort: filter.sort }],
    ['another from', { ...filter, from: at(1) }],
    ['no from', { resource_id: resource, to: filter.to, sort: filter.sort }],
    ['another to', { ...filter, to: at(21) }],
    ['no to', { resource_id: resource, from: filter.from, sort: filter.sort }],
    ['another order', { ...filter, sort: '-start' }],
    ['an order by another time', { ...filter, sort: 'created_at' }],
    ['the default order', { resource_id: resource, from: filter.from, to: filter.to }],
  ])('is refused with %s', async (_, query) => {
    const cursor = await aCursor(filter);
    await follow(cursor, filter).expect(200);
    await expectRefused(follow(cursor, query));
  });

  it('is not moved from one filter to another', async () => {
    await expectRefused(follow(await aCursor({ from: at(1) }), { to: at(1) }));
    await expectRefused(follow(await aCursor({ sort: 'created_at' }), { sort: '-created_at' }));
  });

  it('is good with another limit', async () => {
    const all = idsOf((await list(service, { sort: 'start', limit: 100 })).bookings);
    const cursor = await aCursor({ sort: 'start', limit: 3 });
    for (const limit of [1, 5, 100]) {
      const { bookings } = await list(service, { sort: 'start', cursor, limit });
      expect(idsOf(bookings)).toEqual(all.slice(3, 3 + limit));
    }
  });

  it('is good for the default order whether or not that is named', async () => {
    await follow(await aCursor({ sort: '-created_at' })).expect(200);
    await follow(await aCursor(), { sort: '-created_at' }).expect(200);
  });

  it('is good again and again', async () => {
    const cursor = await aCursor({ sort: 'start' });
    const first = await follow(cursor, { sort: 'start' }).expect(200);
    expect((await follow(cursor, { sort: 'start' }).expect(200)).text).toBe(first.text);
  });

  it('needs no escaping in a URL', async () => {
    for (const sort of sortOrders) {
      const cursor = await aCursor({ sort });
      expect(cursor).toMatch(/^[\w.~-]+$/);
      expect((await send(running.url, { target: `/v1/bookings?sort=${sort}&cursor=${cursor}` })).status).toBe(200);
    }
  });

  it.each(sortOrders)('under %s is good on another replica and after a restart', async (sort) => {
    const replica = await startApp();
    try {
      await follow(await aCursor({ sort }), { sort }).expect(200);
      await api(replica.url)
        .get('/v1/bookings')
        .query({ sort, cursor: await aCursor({ sort }) })
        .expect(200);
      const last = await aCursor({ sort, limit: 11 });
      await api(replica.url).get('/v1/bookings').query({ sort, cursor: last }).expect(200);
    } finally {
      await replica.close();
    }
  });
});

describe('A walk', () => {
  it.each(sortOrders)('by %s shows every booking from before it exactly once, while others write', async (sort) => {
    const busy = aResource();
    for (let hour = 10; hour < 30; hour++) await create(service, { slot: aSlot(busy, hour) });
    const before = (await walk(service, { limit: 100 })).map(({ booking_id }) => booking_id);
    // Others book before, between and after what is there, with and without a slot.
    let round = 0;
    const others = async (): Promise<void> => {
      const hour = round++;
      const slots = [aSlot(busy, -hour - 1), aSlot(busy, 30 + hour), aSlot(`${busy} too`, 10 + hour)];
      await Promise.all([...slots.map((slot) => create(service, { slot })), create(service, {})]);
    };
    // The first pages grow no faster than the walk goes on.
    const walked = idsOf(await walk(service, { sort, limit: 12 }, others));
    expect(new Set(walked).size).toBe(walked.length);
    expect(before.filter((id) => !walked.includes(id))).toEqual([]);
  });

  it('of one resource and window shows what was there exactly once, while others write', async () => {
    const busy = aResource();
    const before: string[] = [];
    for (let hour = 0; hour < 20; hour += 2)
      before.push((await create(service, { slot: aSlot(busy, hour) })).booking_id);
    let hour = -1;
    const others = (): Promise<unknown> => create(service, { slot: aSlot(busy, (hour += 2)) });
    const query = { resource_id: busy, from: at(0), to: at(20), sort: 'start', limit: 2 };
    const walked = idsOf(await walk(service, query, others));
    expect(new Set(walked).size).toBe(walked.length);
    expect(walked.filter((id) => before.includes(id))).toEqual(before);
  });
});
