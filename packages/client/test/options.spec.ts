import { BookingsClient, type ClientOptions } from '../src/index.js';
import { json, ScriptedService } from './scripted-service.js';

const emptyPage = json(200, { bookings: [], next_cursor: null });

const service = await ScriptedService.start();
const { baseUrl } = service;

beforeEach(() => service.respondsWith(emptyPage));

afterAll(() => service.stop());

const lastHeaders = () => service.requests.at(-1)?.headers;

describe('baseUrl', () => {
  it.each([
    [baseUrl, '/v1/bookings'],
    [new URL(baseUrl), '/v1/bookings'],
    [`${baseUrl}/?`, '/v1/bookings'],
    [`${baseUrl}/api`, '/api/v1/bookings'],
    [`${baseUrl}/api/`, '/api/v1/bookings'],
  ])('may be %s', async (given, path) => {
    await new BookingsClient({ baseUrl: given }).list();
    expect(service.requests.at(-1)?.url).toBe(path);
  });

  it.each([
    undefined,
    '',
    '/api',
    'bookings.example',
    'ftp://a.example',
    'http://a:b@a.example',
    'http://a.example/?b=c',
  ])('cannot be %j', (given) => {
    expect(() => new BookingsClient({ baseUrl: given } as ClientOptions)).toThrow(/^baseUrl must be an absolute http/);
  });
});

describe('headers', () => {
  it('of the client go with every request, and those of one call win over them for that call', async () => {
    const client = new BookingsClient({ baseUrl, headers: { 'X-Desk': 'north', 'X-Shift': 'early' } });
    await client.list({}, { headers: { 'x-desk': 'south' } });
    expect(lastHeaders()).toMatchObject({ 'x-desk': 'south', 'x-shift': 'early' });
    await client.list();
    expect(lastHeaders()).toMatchObject({ 'x-desk': 'north', 'x-shift': 'early' });
  });

  it('name the client, unless the caller has a name', async () => {
    await new BookingsClient({ baseUrl }).list();
    expect(lastHeaders()).toMatchObject({ 'user-agent': 'booking-service-client' });
    await new BookingsClient({ baseUrl, headers: { 'User-Agent': 'desk/2' } }).list();
    expect(lastHeaders()).toMatchObject({ 'user-agent': 'desk/2' });
  });

  it('may come from a function, which is called again for every attempt', async () => {
    let count = 0;
    const headers = async () => new Headers({ 'x-count': `${++count}` });
    service.respondsWith(json(503, {}, { 'retry-after': '0' }), emptyPage);
    await new BookingsClient({ baseUrl, headers }).list();
    expect(service.requests.map((request) => request.headers['x-count'])).toEqual(['1', '2']);
  });

  it.each(['client', 'call'])('of the %s do not replace what the client says itself', async (giver) => {
    const headers = { 'Content-Type': 'text/plain', 'Idempotency-Key': 'k', Authorization: 'Basic YTpi' };
    const client = new BookingsClient({ baseUrl, token: 't1', ...(giver === 'client' && { headers }) });
    service.respondsWith(json(201, { booking_id: 'b1' }));
    await client.create({}, { idempotencyKey: 'order-17', ...(giver === 'call' && { headers }) });
    expect(lastHeaders()).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'order-17',
      authorization: 'Bearer t1',
    });
  });

  it('that HTTP does not allow are a TypeError and are not tried again', async () => {
    const call = new BookingsClient({ baseUrl }).create({}, { idempotencyKey: 'ключ' });
    await expect(call).rejects.toMatchObject({ name: 'TypeError' });
    expect(service.requests).toHaveLength(0);
  });
});

describe('an option that is not known', () => {
  it.each<[object, string]>([
    [{ retries: 5 }, 'retries'],
    [{ baseURL: 'http://a.example' }, 'baseURL'],
    [{ signal: AbortSignal.abort() }, 'signal'],
    [{ hooks: { onRequest() {} } }, 'hooks.onRequest'],
  ])('is rejected by the client: %o', (options, name) => {
    expect(() => new BookingsClient({ baseUrl, ...options })).toThrow(
      new RegExp(`^There is no option ${name}: the options are .*`),
    );
  });

  it.each<[string, object, (client: BookingsClient, options: object) => Promise<unknown>]>([
    ['list', { idempotencyKey: 'k' }, (client, options) => client.list({}, options)],
    ['listAll', { known: {} }, (client, options) => client.listAll({}, options).next()],
    ['listPages', { baseUrl: 'http://a.example' }, (client, options) => client.listPages({}, options).next()],
    ['get', { idempotencyKey: 'k' }, (client, options) => client.get('b1', options)],
    ['create', { idempotencykey: 'order-17' }, (client, options) => client.create({}, options)],
  ])('rejects a call of %s with a TypeError, and nothing is sent: %o', async (_, options, call) => {
    await expect(call(new BookingsClient({ baseUrl }), options)).rejects.toThrow(
      new RegExp(
        `^There is no option ${Object.keys(options)[0]}: the options are headers, signal, timeout, maxRetries`,
      ),
    );
    expect(service.requests).toHaveLength(0);
  });
});

describe('fetch', () => {
  it("may be the caller's own, and is called without a receiver as browsers want it", async () => {
    const receivers: unknown[] = [];
    const fetch = async function (this: unknown, input: string | URL | Request, init?: RequestInit) {
      receivers.push(this);
      return globalThis.fetch(input, init);
    };
    await new BookingsClient({ baseUrl, fetch }).list();
    expect(receivers).toEqual([undefined]);
    expect(service.requests).toHaveLength(1);
  });

  it('that is no function is a TypeError', () => {
    expect(() => new BookingsClient({ baseUrl, fetch: 7 as unknown as typeof fetch })).toThrow(/^fetch is no function/);
  });
});

describe('timeout and maxRetries', () => {
  it.each([{ timeout: 1 }, { timeout: 2 ** 31 - 1 }, { maxRetries: 0 }])('may be %p', (limits) => {
    expect(() => new BookingsClient({ baseUrl, ...limits })).not.toThrow();
  });

  it.each([
    { timeout: 0 },
    { timeout: NaN },
    { timeout: Infinity },
    { timeout: 2 ** 31 },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { maxRetries: Infinity },
  ])('cannot be %p, neither for the client nor for a call', async (limits) => {
    expect(() => new BookingsClient({ baseUrl, ...limits })).toThrow(TypeError);
    await expect(new BookingsClient({ baseUrl }).list({}, limits)).rejects.toThrow(TypeError);
    expect(service.requests).toHaveLength(0);
  });
});
