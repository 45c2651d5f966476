import { type BookingDto, type BookingPageDto, sortOrders } from '@booking-service/contracts';
import { send } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aProblem, aResource, aSlot, at, create, idsOf, list, pointersOf, walk } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

const inOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

describe('The list', () => {
  it('shows the newest bookings first, and 20 on a page, unless it is asked otherwise', async () => {
    const made: BookingDto[] = [];
    for (let n = 0; n < 21; n++) made.push(await create(service, { n }));
    const page = await list(service);
    expect(page.bookings).toHaveLength(20);
    const newest = made.toSorted((a, b) => inOrder(b.created_at + b.booking_id, a.created_at + a.booking_id));
    expect(page.bookings).toEqual(newest.slice(0, 20));
    expect(await list(service, { limit: 20, sort: '-created_at' })).toEqual(page);
    expect(page.next_cursor).not.toBeNull();
  });

  it('is empty, and ends, for a resource that nobody booked', async () => {
    expect(await list(service, { resource_id: aResource() })).toEqual({ bookings: [], next_cursor: null });
  });

  it('shows a booking as soon as its create has its response', async () => {
    for (let n = 0; n < 10; n++) {
      const booking = await create(service, { n });
      expect((await list(service, { limit: 1 })).bookings).toEqual([booking]);
    }
  });
});

describe('limit', () => {
  it('is at most how many bookings are on a page; next_cursor is null exactly when nothing follows', async () => {
    const resource = aResource();
    for (let hour = 0; hour < 4; hour++) await create(service, { slot: aSlot(resource, hour) });
    for (const [limit, sizes] of [
      [1, [1, 1, 1, 1]],
      [2, [2, 2]],
      [3, [3, 1]],
      [4, [4]],
      [100, [4]],
    ] as const) {
      const seen: number[] = [];
      const query = { resource_id: resource, limit };
      for (let page = await list(service, query); ;) {
        seen.push(page.bookings.length);
        if (page.next_cursor === null) break;
        page = await list(service, { ...query, cursor: page.next_cursor });
      }
      expect(seen).toEqual(sizes);
    }
  });

  it.each(['0', '101', '-1', '+1', '01', '1.0', '1e1', '', '%20', '1%20', '٣', 'all', '99999999999999999999', 'null'])(
    'cannot be %j',
    async (limit) => {
      const { status, text } = await send(running.url, {
        target: encodeURI(`/v1/bookings?limit=${limit}`).replace(/%25/g, '%'),
      });
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject(aProblem('invalid-request'));
      expect(pointersOf(JSON.parse(text))).toEqual(['#/limit']);
    },
  );
});

describe('sort', () => {
  let others: RunningApp;
  let made: BookingDto[];

  beforeAll(async () => {
    others = await startApp();
    // At once, so that many are created within one millisecond; the starts tie too.
    const payloads = Array.from({ length: 40 }, (_, n) => (n % 4 === 0 ? {} : { slot: aSlot(aResource(), n % 5) }));
    made = await Promise.all(payloads.map((payload) => create(api(others.url), payload)));
  });
  afterAll(() => others.close());

  it.each(sortOrders)('%s orders the whole walk, ties by booking_id, bookings without a slot last', async (sort) => {
    const ascending = sort.replace('-', '');
    const keyOf = (booking: BookingDto): string =>
      ascending === 'start' ? (booking.slot?.start ?? '') : booking.created_at;
    const direction = sort.startsWith('-') ? -1 : 1;
    const expected = made.toSorted((a, b) => {
      const last = ascending === 'start' ? Number(a.slot === undefined) - Number(b.slot === undefined) : 0;
      return last || direction * (inOrder(keyOf(a), keyOf(b)) || inOrder(a.booking_id, b.booking_id));
    });
    for (const limit of [1, 7, 100]) {
      expect(idsOf(await walk(api(others.url), { sort, limit }))).toEqual(idsOf(expected));
    }
  });

  it.each(['', 'end', 'booking_id', '+start', 'Start', 'start,created_at', '--start', 'constructor'])(
    'cannot be %j',
    async (sort) => {
      const { body } = await service.get('/v1/bookings').query({ sort }).expect(400);
      expect(body).toMatchObject(aProblem('invalid-request'));
      expect(pointersOf(body)).toEqual(['#/sort']);
    },
  );
});

describe('The Link header', () => {
  it('leads to the next page, and is there exactly where next_cursor is', async () => {
    const resource = `${aResource()} &"<é>`;
    for (let hour = 0; hour < 3; hour++) await create(service, { slot: aSlot(resource, hour) });
    const query = { resource_id: resource, sort: 'start', limit: 2, from: at(0), to: '2026-12-02T00:00:00+01:00' };
    const first = await service.get('/v1/bookings').query(query).expect(200);
    const [, target] = /^<(\/v1\/bookings\?[^<>"\s]+)>; rel="next"$/.exec(first.headers['link'] as string) ?? [];
    const { next_cursor } = first.body as BookingPageDto;
    expect(new URL(target!, running.url).searchParams.get('cursor')).toBe(next_cursor);
    const followed = await send(running.url, { target: target! });
    const asked = await service
      .get('/v1/bookings')
      .query({ ...query, cursor: next_cursor })
      .expect(200);
    expect(followed.text).toBe(asked.text);
    expect((asked.body as BookingPageDto).bookings).toHaveLength(1);
    expect(followed.headers).not.toHaveProperty('link');
    expect((asked.body as BookingPageDto).next_cursor).toBeNull();
  });
});
