import { type BookingDto, BookingsClient, UnexpectedResponseError } from '../src/index.js';
import { json, type Reply, ScriptedService, text } from './scripted-service.js';

const booking = { booking_id: 'b1', created_at: '2026-11-20T18:12:03.417Z', guest: 'Ada' };
const emptyPage = { bookings: [], next_cursor: null };

let service: ScriptedService;
let client: BookingsClient;

beforeAll(async () => {
  service = await ScriptedService.start();
  client = new BookingsClient({ baseUrl: service.baseUrl });
});

afterAll(() => service.stop());

async function idsOf(bookings: AsyncIterable<BookingDto>): Promise<string[]> {
  const found: string[] = [];
  for await (const { booking_id: id } of bookings) found.push(id);
  return found;
}

function page(nextCursor: string | null, ...ids: string[]): Reply {
  const bookings = ids.map((id) => ({ booking_id: id, created_at: booking.created_at }));
  return json(200, { bookings, next_cursor: nextCursor });
}

describe('list', () => {
  it('requests one page and returns it unchanged', async () => {
    service.respondsWith(json(200, { bookings: [booking], next_cursor: 'c2' }));
    await expect(client.list()).resolves.toEqual({ bookings: [booking], next_cursor: 'c2' });
    expect(service.requests).toMatchObject([{ method: 'GET', url: '/v1/bookings', body: '' }]);
    expect(service.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  it('sends each parameter that has a value, encoded', async () => {
    service.respondsWith(json(200, emptyPage));
    await client.list({ limit: 5, resource_id: 'room 7&a=b', from: '2026-12-01T00:00:00+01:00', to: undefined });
    const url = new URL(service.requests[0]?.url ?? '', service.baseUrl);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      limit: '5',
      resource_id: 'room 7&a=b',
      from: '2026-12-01T00:00:00+01:00',
    });
  });
});

describe('listAll', () => {
  it('walks all pages with the same filter and stops after the one that has no next cursor', async () => {
    service.respondsWith(page('c/2', 'a', 'b'), page('c3'), page(null, 'c'));
    await expect(idsOf(client.listAll({ resource_id: 'room-7' }))).resolves.toEqual(['a', 'b', 'c']);
    expect(service.requests.map(({ url }) => url)).toEqual([
      '/v1/bookings?resource_id=room-7',
      '/v1/bookings?resource_id=room-7&cursor=c%2F2',
      '/v1/bookings?resource_id=room-7&cursor=c3',
    ]);
  });

  it('requests a page only when the one before it is used up', async () => {
    service.respondsWith(page('c2', 'a', 'b'), page(null));
    for await (const { booking_id } of client.listAll()) if (booking_id === 'a') break;
    expect(service.requests).toHaveLength(1);
  });

  it('fails rather than loop over a repeated cursor', async () => {
    service.respondsWith(page('c2', 'a'), page('c3', 'b'), page('c2', 'c'));
    await expect(idsOf(client.listAll())).rejects.toThrow(UnexpectedResponseError);
    expect(service.requests).toHaveLength(3);
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

describe('listPages', () => {
  it('yields page after page, each requested when the iteration reaches it', async () => {
    service.respondsWith(page('c2', 'a', 'b'), page('c3'), page(null, 'c'));
    const pages = client.listPages({ sort: 'start', limit: 2 });
    expect(service.requests).toHaveLength(0);
    expect((await pages.next()).value).toMatchObject({
      bookings: [{ booking_id: 'a' }, { booking_id: 'b' }],
      next_cursor: 'c2',
    });
    expect(service.requests).toHaveLength(1);
    const sizes: number[] = [];
    for await (const { bookings } of pages) sizes.push(bookings.length);
    expect(sizes).toEqual([0, 1]);
    expect(service.requests.map(({ url }) => url)).toEqual([
      '/v1/bookings?sort=start&limit=2',
      '/v1/bookings?sort=start&limit=2&cursor=c2',
      '/v1/bookings?sort=start&limit=2&cursor=c3',
    ]);
  });

  it('starts at a given cursor, as listAll does', async () => {
    service.respondsWith(page(null, 'c'));
    for await (const _ of client.listPages({ cursor: 'c7' }));
    await idsOf(client.listAll({ cursor: 'c8' }));
    expect(service.requests.map(({ url }) => url)).toEqual(['/v1/bookings?cursor=c7', '/v1/bookings?cursor=c8']);
  });

  it('fails rather than loop, also back to the given cursor', async () => {
    service.respondsWith(page('c2', 'a'), page('c1', 'b'));
    const walk = async () => {
      for await (const _ of client.listPages({ cursor: 'c1' }));
    };
    await expect(walk()).rejects.toThrow(UnexpectedResponseError);
    expect(service.requests).toHaveLength(2);
  });
});

describe('a Date', () => {
  const [start, end] = [new Date('2026-12-01T10:00:00+01:00'), new Date('2026-12-01T11:00:00+01:00')];

  it('is accepted for the instants of a slot', async () => {
    service.respondsWith(json(201, booking));
    await client.create({ slot: { resource_id: 'room-7', start, end: '2026-12-01T10:00:00Z' } });
    expect(JSON.parse(service.requests[0]!.body)).toEqual({
      slot: { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00Z' },
    });
  });

  it('is accepted for the window of a list, of pages and of a walk', async () => {
    service.respondsWith(page(null));
    await client.list({ from: start, to: end });
    for await (const _ of client.listPages({ from: start }));
    await idsOf(client.listAll({ to: end }));
    const query = (url: string) => Object.fromEntries(new URL(url, service.baseUrl).searchParams);
    expect(service.requests.map(({ url }) => query(url))).toEqual([
      { from: '2026-12-01T09:00:00.000Z', to: '2026-12-01T10:00:00.000Z' },
      { from: '2026-12-01T09:00:00.000Z' },
      { to: '2026-12-01T10:00:00.000Z' },
    ]);
  });

  it('that is invalid is a TypeError, and nothing is sent', async () => {
    service.respondsWith(page(null));
    const never = new Date(NaN);
    await expect(client.list({ to: never })).rejects.toThrow(new TypeError('to is an invalid Date'));
    const slot = { resource_id: 'room-7', start, end: never };
    await expect(client.create({ slot })).rejects.toThrow(new TypeError('slot.end is an invalid Date'));
    expect(service.requests).toHaveLength(0);
  });
});

describe('create', () => {
  it('posts the payload as JSON and returns the booking', async () => {
    service.respondsWith(json(201, booking));
    await expect(client.create({ guest: 'Ada' })).resolves.toEqual(booking);
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/v1/bookings', body: '{"guest":"Ada"}' });
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('gives every create its own key', async () => {
    service.respondsWith(json(201, booking));
    await client.create({});
    await client.create({});
    const keys = service.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([
      expect.stringMatching(/^[\x21-\x7E]{32,255}$/),
      expect.stringMatching(/^[\x21-\x7E]{32,255}$/),
    ]);
    expect(new Set(keys).size).toBe(2);
  });

  it("sends the caller's key as it is", async () => {
    service.respondsWith(json(201, booking));
    await client.create({}, { idempotencyKey: 'order-17' });
    expect(service.requests[0]?.headers['idempotency-key']).toBe('order-17');
  });

  it('generates a key also on an insecure origin', async () => {
    const platform = crypto;
    const insecure = { getRandomValues: platform.getRandomValues.bind(platform) };
    Object.defineProperty(globalThis, 'crypto', { value: insecure, configurable: true, writable: true });
    try {
      service.respondsWith(json(201, booking));
      await client.create({});
      expect(service.requests[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    } finally {
      Object.defineProperty(globalThis, 'crypto', { value: platform, configurable: true, writable: true });
    }
  });

  it('does not accept the response of a redirect to another operation as a booking', async () => {
    service.respondsWith(text(301, '', { location: '/v1/bookings' }), json(200, emptyPage));
    await expect(client.create({})).rejects.toThrow(UnexpectedResponseError);
    expect(service.requests.map(({ method }) => method)).toEqual(['POST']);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a function', () => ({})],
    ['an array', [{ guest: 'Ada' }]],
    ['a text', '{}'],
    ['a number', 7],
    ['a symbol', Symbol('x')],
    ['a date', new Date()],
    ['an object whose JSON is an array', { toJSON: () => [] }],
  ])('rejects %s with a TypeError, and sends nothing', async (_, payload) => {
    service.respondsWith(json(201, booking));
    const call = client.create(payload as Record<string, unknown>);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow('The payload is not a JSON object');
    expect(service.requests).toHaveLength(0);
  });
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
    await expect(client.get('b1', { known })).resolves.toBe(known);
    expect(service.requests[1]?.headers['if-none-match']).toBe('"v1"');
  });

  it('returns a new booking when the known one is not the current one', async () => {
    service.respondsWith(
      json(200, booking, { etag: '"v1"' }),
      json(200, { ...booking, guest: 'Bob' }, { etag: '"v2"' }),
    );
    const known = await client.get('b1');
    await expect(client.get('b1', { known })).resolves.toEqual({ ...booking, guest: 'Bob' });
  });

  it('sends no condition for a booking that it has not returned, or has returned for another id', async () => {
    service.respondsWith(json(200, booking, { etag: '"v1"' }));
    const other = await client.get('b1');
    await client.get('b2', { known: other });
    await client.get('b1', { known: { ...other } });
    expect(service.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined, undefined]);
  });
});
