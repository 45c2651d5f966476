import { type BookingDto, BookingsClient, UnexpectedResponseError } from '../src/index.js';
import { booking, json, type Reply, ScriptedService, text } from './scripted-service.js';

const service = await ScriptedService.start();
const client = new BookingsClient({ baseUrl: service.baseUrl });

function page(nextCursor: string | null, ...ids: string[]): Reply {
  const bookings = ids.map((id) => ({ booking_id: id, created_at: booking.created_at }));
  return json(200, { bookings, next_cursor: nextCursor });
}

const queryOf = (url = '') => Object.fromEntries(new URL(url, service.baseUrl).searchParams);

it('list sends each parameter that has a value, encoded, and a Date as an instant', async () => {
  service.respondsWith(page(null));
  await client.list({ limit: 5, resource_id: 'room 7&a=b', from: new Date('2026-12-01T10:00+01:00'), to: undefined });
  expect(queryOf(service.requests[0]?.url)).toEqual({
    limit: '5',
    resource_id: 'room 7&a=b',
    from: '2026-12-01T09:00:00.000Z',
  });
});

it('list returns the known page itself after a 304, and sends no condition with another query', async () => {
  service.respondsWith(json(200, { bookings: [], next_cursor: null }, { etag: '"p1"' }), text(304, ''));
  const known = await client.list({ limit: 5 });
  const unchanged = await client.list({ limit: 5 }, { known }).withResponse();
  expect([unchanged.data === known, unchanged.status]).toEqual([true, 304]);
  service.respondsWith(page(null, 'a'));
  await expect(client.list({ limit: 5 }, { known })).resolves.toMatchObject({ bookings: [{ booking_id: 'a' }] });
  await client.list({ limit: 6 }, { known });
  expect(service.requests.map(({ headers }) => headers['if-none-match'])).toEqual(['"p1"', undefined]);
});

describe('listPages', () => {
  it('requests each page with the same filter when the iteration reaches it', async () => {
    service.respondsWith(page('c/2', 'a', 'b'), page('c3'), page(null, 'c'));
    const pages = client.listPages({ sort: 'created_at', limit: 2 });
    expect(service.requests).toHaveLength(0);
    expect((await pages.next()).value).toMatchObject({
      bookings: [{ booking_id: 'a' }, { booking_id: 'b' }],
      next_cursor: 'c/2',
    });
    expect(service.requests).toHaveLength(1);
    const sizes: number[] = [];
    for await (const { bookings } of pages) sizes.push(bookings.length);
    expect(sizes).toEqual([0, 1]);
    expect(service.requests.map(({ url }) => url)).toEqual([
      '/v1/bookings?sort=created_at&limit=2',
      '/v1/bookings?sort=created_at&limit=2&cursor=c%2F2',
      '/v1/bookings?sort=created_at&limit=2&cursor=c3',
    ]);
  });

  it.each([
    ['of an earlier page', undefined, [page('c2', 'a'), page('c3', 'b'), page('c2', 'c')]],
    ['of the caller', 'c1', [page('c2', 'a'), page('c3'), page('c1', 'b')]],
  ])('fails if the service repeats a cursor %s', async (_what, cursor, script) => {
    service.respondsWith(...script);
    const walk = async () => {
      for await (const _ of client.listPages({ cursor }));
    };
    await expect(walk()).rejects.toThrow(UnexpectedResponseError);
    expect(service.requests.map(({ url }) => queryOf(url)['cursor'])).toEqual([cursor, 'c2', 'c3']);
  });
});

describe('listAll', () => {
  it('yields the bookings of every page', async () => {
    service.respondsWith(page('c8', 'a', 'b'), page('c9'), page(null, 'c'));
    const found: BookingDto[] = [];
    for await (const each of client.listAll({ cursor: 'c7' })) found.push(each);
    expect(found.map(({ booking_id: id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('stops within a page when the signal aborts', async () => {
    service.respondsWith(page(null, 'a', 'b'));
    const controller = new AbortController();
    const bookings = client.listAll({}, { signal: controller.signal });
    await bookings.next();
    controller.abort('enough');
    await expect(bookings.next()).rejects.toBe('enough');
  });
});

describe('create', () => {
  it('sends a Date as an instant', async () => {
    service.respondsWith(json(201, booking));
    const slot = { resource_id: 'room-7', start: new Date('2026-12-01T10:00+01:00'), end: '2026-12-01T10:00:00Z' };
    await client.create({ slot });
    expect(JSON.parse(service.requests[0]!.body)).toEqual({ slot: { ...slot, start: '2026-12-01T09:00:00.000Z' } });
  });

  it('gives every booking its own key, even on an insecure origin', async () => {
    const platform = crypto;
    const insecure = { getRandomValues: platform.getRandomValues.bind(platform) };
    Object.defineProperty(globalThis, 'crypto', { value: insecure, configurable: true, writable: true });
    try {
      service.respondsWith(json(201, booking));
      await client.create({});
      await client.create({});
      const keys = service.requests.map(({ headers }) => headers['idempotency-key']);
      for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
      expect(new Set(keys).size).toBe(2);
    } finally {
      Object.defineProperty(globalThis, 'crypto', { value: platform, configurable: true, writable: true });
    }
  });
});

describe('get', () => {
  it('encodes the id', async () => {
    service.respondsWith(json(200, booking));
    await expect(client.get('a/b?c#%2e é')).resolves.toEqual(booking);
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/v1/bookings/a%2Fb%3Fc%23%252e%20%C3%A9' });
  });

  it('returns the known booking itself after a 304', async () => {
    service.respondsWith(json(201, booking, { etag: '"v1"' }), text(304, '', { etag: '"v1"' }));
    const known = await client.create({ guest: 'Ada' });
    const { data, status } = await client.get('b1', { known }).withResponse();
    expect([data === known, status]).toEqual([true, 304]);
    expect(service.requests[1]?.headers['if-none-match']).toBe('"v1"');
  });

  it('returns the current booking after a 200', async () => {
    const current = { ...booking, guest: 'Bob' };
    service.respondsWith(json(200, booking, { etag: '"v1"' }), json(200, current, { etag: '"v2"' }));
    const known = await client.get('b1');
    await expect(client.get('b1', { known })).resolves.toEqual(current);
  });

  it('sends no condition for the booking of another id or another client', async () => {
    service.respondsWith(json(200, booking, { etag: '"v1"' }));
    const other = await client.get('b1');
    await client.get('b2', { known: other });
    await client.get('b1', { known: { ...other } });
    expect(service.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined, undefined]);
  });
});

describe('an argument that cannot be sent', () => {
  const create = (payload: unknown, options = {}) => client.create(payload as Record<string, unknown>, options);
  const get = (id: unknown, options = {}) => client.get(id as string, options);
  const list = (query: object, options = {}) => client.list(query, options);
  const notObjects = [undefined, null, [{}], '{}', Promise.resolve({}), new Map([['a', 1]]), { toJSON: () => [] }];
  const other: object = { retries: 5 };

  it.each<[string, () => Promise<unknown>[]]>([
    ['The payload is not a JSON object', () => notObjects.map((payload) => create(payload))],
    ['end is an invalid Date', () => [create({ slot: { end: new Date(NaN) } }), create({ end: new Date(NaN) })]],
    ['price is NaN', () => [create({ price: NaN }), create({ guests: [{ price: NaN }] })]],
    ['price is Infinity', () => [create({ price: Infinity })]],
    ['guest is a Promise', () => [create({ guest: Promise.resolve('Ada') })]],
    ['guest is a Map', () => [create({ guest: new Map([['name', 'Ada']]) })]],
    ['to is an invalid Date', () => [list({ to: new Date(NaN) })]],
    ['No booking can have the id', () => ['', '.', '..', '\uD800', undefined].map((id) => get(id))],
    ['idempotencyKey must be a string', () => [create({}, { idempotencyKey: null })]],
    ['ByteString', () => [create({}, { idempotencyKey: 'ключ' })]],
    ['timeout is', () => [0, NaN, Infinity, 2 ** 31].map((timeout) => list({}, { timeout }))],
    ['maxRetries is', () => [-1, 1.5, Infinity].map((maxRetries) => list({}, { maxRetries }))],
    ['There is no option retries', () => [create({}, other), list({}, other), client.listAll({}, other).next()]],
    ['There is no option idempotencyKey', () => [get('b1', { idempotencyKey: 'k' })]],
  ])('is a TypeError: %s', async (message, calls) => {
    service.respondsWith(json(201, booking));
    const reason = { name: 'TypeError', message: expect.stringContaining(message) as string };
    for (const outcome of await Promise.allSettled(calls())) expect(outcome).toMatchObject({ reason });
    expect(service.requests).toHaveLength(0);
  });
});
