import { type BookingDto, BookingsClient, UnexpectedResponseError } from '../src/index.js';
import { json, type Reply, ScriptedService, text } from './scripted-service.js';

const booking = { booking_id: 'b1', created_at: '2026-11-20T18:12:03.417Z', guest: 'Ada' };

const service = await ScriptedService.start();
const client = new BookingsClient({ baseUrl: service.baseUrl });

afterAll(() => service.stop());

function page(nextCursor: string | null, ...ids: string[]): Reply {
  const bookings = ids.map((id) => ({ booking_id: id, created_at: booking.created_at }));
  return json(200, { bookings, next_cursor: nextCursor });
}

const queryOf = (url = '') => Object.fromEntries(new URL(url, service.baseUrl).searchParams);

describe('list', () => {
  it('requests one page and returns it unchanged', async () => {
    service.respondsWith(json(200, { bookings: [booking], next_cursor: 'c2' }));
    await expect(client.list()).resolves.toEqual({ bookings: [booking], next_cursor: 'c2' });
    expect(service.requests).toMatchObject([{ method: 'GET', url: '/v1/bookings', body: '' }]);
    expect(service.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  it('sends each parameter that has a value, encoded, and a Date as an instant', async () => {
    service.respondsWith(page(null));
    await client.list({ limit: 5, resource_id: 'room 7&a=b', from: new Date('2026-12-01T10:00+01:00'), to: undefined });
    expect(queryOf(service.requests[0]?.url)).toEqual({
      limit: '5',
      resource_id: 'room 7&a=b',
      from: '2026-12-01T09:00:00.000Z',
    });
  });

  it('rejects an invalid Date with a TypeError, and sends nothing', async () => {
    service.respondsWith(page(null));
    await expect(client.list({ to: new Date(NaN) })).rejects.toThrow(new TypeError('to is an invalid Date'));
    expect(service.requests).toHaveLength(0);
  });
});

describe('listPages', () => {
  it('yields page after page with the same filter, each requested when the iteration reaches it', async () => {
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
    ['that the service gave', undefined, [page('c2', 'a'), page('c3', 'b'), page('c2', 'c')]],
    ['that the caller gave', 'c1', [page('c2', 'a'), page('c3'), page('c1', 'b')]],
  ])('fails rather than loop over a cursor %s', async (_what, cursor, script) => {
    service.respondsWith(...script);
    const walk = async () => {
      for await (const _ of client.listPages({ cursor }));
    };
    await expect(walk()).rejects.toThrow(UnexpectedResponseError);
    expect(service.requests.map(({ url }) => queryOf(url)['cursor'])).toEqual([cursor, 'c2', 'c3']);
  });
});

describe('listAll', () => {
  it('yields the bookings of every page, from a given cursor on', async () => {
    service.respondsWith(page('c8', 'a', 'b'), page('c9'), page(null, 'c'));
    const found: BookingDto[] = [];
    for await (const each of client.listAll({ cursor: 'c7', resource_id: 'room-7' })) found.push(each);
    expect(found.map(({ booking_id: id }) => id)).toEqual(['a', 'b', 'c']);
    expect(service.requests.map(({ url }) => queryOf(url))).toEqual(
      ['c7', 'c8', 'c9'].map((cursor) => ({ cursor, resource_id: 'room-7' })),
    );
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
  it('posts the payload as JSON, a Date as an instant, and returns the booking', async () => {
    service.respondsWith(json(201, booking));
    const slot = { resource_id: 'room-7', start: new Date('2026-12-01T10:00+01:00'), end: '2026-12-01T10:00:00Z' };
    await expect(client.create({ slot, guest: 'Ada' })).resolves.toEqual(booking);
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/v1/bookings' });
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(JSON.parse(request!.body)).toEqual({ slot: { ...slot, start: '2026-12-01T09:00:00.000Z' }, guest: 'Ada' });
  });

  it('gives every create its own key, also on an insecure origin', async () => {
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

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'The payload is not a JSON object'],
    ['null', null, 'The payload is not a JSON object'],
    ['an array', [{ guest: 'Ada' }], 'The payload is not a JSON object'],
    ['a text', '{}', 'The payload is not a JSON object'],
    ['a promise that was not awaited', Promise.resolve({ guest: 'Ada' }), 'The payload is not a JSON object'],
    ['a Map', new Map([['guest', 'Ada']]), 'The payload is not a JSON object'],
    ['an object whose JSON is an array', { toJSON: () => [] }, 'The payload is not a JSON object'],
    ['an invalid Date in a slot', { slot: { end: new Date(NaN) } }, 'slot.end is an invalid Date'],
  ])('rejects %s with a TypeError, and sends nothing', async (_, payload, message) => {
    service.respondsWith(json(201, booking));
    const call = client.create(payload as Record<string, unknown>);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(message);
    expect(service.requests).toHaveLength(0);
  });
});

it('rejects a key of null, which would be the key of every create without one', async () => {
  const options = { idempotencyKey: null as unknown as string };
  await expect(client.create({}, options)).rejects.toThrow(new TypeError('idempotencyKey is no string'));
});

describe('get', () => {
  it('requests the id, encoded', async () => {
    service.respondsWith(json(200, booking));
    await expect(client.get('a/b?c#%2e é')).resolves.toEqual(booking);
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/v1/bookings/a%2Fb%3Fc%23%252e%20%C3%A9' });
  });

  it.each(['', '.', '..', '\uD800', undefined as unknown as string])(
    'rejects the id %j, which would lead to another path',
    async (id) => {
      service.respondsWith(json(200, booking));
      await expect(client.get(id)).rejects.toThrow(TypeError);
      expect(service.requests).toHaveLength(0);
    },
  );

  it('returns the known booking itself while the service says that it is not modified', async () => {
    service.respondsWith(json(201, booking, { etag: '"v1"' }), text(304, '', { etag: '"v1"' }));
    const known = await client.create({ guest: 'Ada' });
    const { data, status } = await client.get('b1', { known }).withResponse();
    expect([data === known, status]).toEqual([true, 304]);
    expect(service.requests[1]?.headers['if-none-match']).toBe('"v1"');
  });

  it('returns a new booking when the known one is not the current one', async () => {
    const current = { ...booking, guest: 'Bob' };
    service.respondsWith(json(200, booking, { etag: '"v1"' }), json(200, current, { etag: '"v2"' }));
    const known = await client.get('b1');
    await expect(client.get('b1', { known })).resolves.toEqual(current);
  });

  it('sends no condition for a booking that it has not returned, or has returned for another id', async () => {
    service.respondsWith(json(200, booking, { etag: '"v1"' }));
    const other = await client.get('b1');
    await client.get('b2', { known: other });
    await client.get('b1', { known: { ...other } });
    expect(service.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined, undefined]);
  });
});
