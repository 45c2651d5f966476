import { BookingsClient, type ClientOptions } from '../src/index.js';
import { json, ScriptedService } from './scripted-service.js';

let service: ScriptedService;

beforeAll(async () => {
  service = await ScriptedService.start();
  service.respondsWith(json(200, { bookings: [], next_cursor: null }));
});

beforeEach(() => service.respondsWith(json(200, { bookings: [], next_cursor: null })));

afterAll(() => service.stop());

const lastRequest = () => service.requests.at(-1);

describe('baseUrl', () => {
  it.each([
    ['', '/v1/bookings'],
    ['/', '/v1/bookings'],
    ['/?', '/v1/bookings'],
    ['/api', '/api/v1/bookings'],
    ['/api/', '/api/v1/bookings'],
  ])('may end in "%s"', async (end, path) => {
    await new BookingsClient({ baseUrl: service.baseUrl + end }).list();
    expect(lastRequest()?.url).toBe(path);
  });

  it('may be a URL object', async () => {
    await new BookingsClient({ baseUrl: new URL(service.baseUrl) }).list();
    expect(lastRequest()?.url).toBe('/v1/bookings');
  });

  it.each([
    undefined,
    '',
    '/api',
    'bookings.example',
    'ftp://a.example',
    'http://a:b@a.example',
    'http://a.example/?b=c',
  ])('cannot be %j', (baseUrl) => {
    expect(() => new BookingsClient({ baseUrl } as ClientOptions)).toThrow(/^baseUrl must be an absolute http/);
  });
});

describe('headers', () => {
  it('go with every request', async () => {
    const client = new BookingsClient({ baseUrl: service.baseUrl, headers: { Authorization: 'Bearer t1' } });
    await client.list();
    expect(lastRequest()?.headers).toMatchObject({ authorization: 'Bearer t1' });
  });

  it('may come from a function, which is called again for every attempt', async () => {
    let token = 0;
    const headers = async () => ({ authorization: `Bearer t${++token}` });
    service.respondsWith(json(503, {}, { 'retry-after': '0' }), json(200, { bookings: [], next_cursor: null }));
    await new BookingsClient({ baseUrl: service.baseUrl, headers }).list();
    expect(service.requests.map((request) => request.headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('fail the call as they are when their function fails', async () => {
    const failure = new Error('no token');
    const client = new BookingsClient({ baseUrl: service.baseUrl, headers: () => Promise.reject(failure) });
    await expect(client.list()).rejects.toBe(failure);
    expect(service.requests).toHaveLength(0);
  });

  it('do not replace what the client says itself', async () => {
    service.respondsWith(json(201, { booking_id: 'b1' }));
    const headers = { 'Content-Type': 'text/plain', 'Idempotency-Key': 'always-the-same' };
    await new BookingsClient({ baseUrl: service.baseUrl, headers }).create({});
    expect(lastRequest()?.headers['content-type']).toBe('application/json');
    expect(lastRequest()?.headers['idempotency-key']).not.toBe('always-the-same');
  });

  it('that HTTP does not allow are a TypeError and are not tried again', async () => {
    const client = new BookingsClient({ baseUrl: service.baseUrl });
    await expect(client.create({}, { idempotencyKey: 'ключ' })).rejects.toMatchObject({ name: 'TypeError' });
    expect(service.requests).toHaveLength(0);
  });
});

describe('headers of one call', () => {
  it('win over those of the client, and are gone with the next call', async () => {
    const client = new BookingsClient({ baseUrl: service.baseUrl, headers: { 'X-Desk': 'north', 'X-Shift': 'early' } });
    await client.list({}, { headers: { 'x-desk': 'south' } });
    expect(lastRequest()?.headers).toMatchObject({ 'x-desk': 'south', 'x-shift': 'early' });
    await client.list();
    expect(lastRequest()?.headers).toMatchObject({ 'x-desk': 'north', 'x-shift': 'early' });
  });

  it('go with every page of a walk, and with a get', async () => {
    const headers = { 'x-desk': 'south' };
    const client = new BookingsClient({ baseUrl: service.baseUrl });
    service.respondsWith(
      json(200, { bookings: [], next_cursor: 'c2' }),
      json(200, { bookings: [], next_cursor: null }),
      json(200, { booking_id: 'b1' }),
    );
    for await (const _ of client.listAll({}, { headers }));
    await client.get('b1', { headers });
    expect(service.requests.map((request) => request.headers['x-desk'])).toEqual(['south', 'south', 'south']);
  });

  it('do not replace what the client says itself', async () => {
    service.respondsWith(json(201, { booking_id: 'b1' }));
    const headers = { 'Content-Type': 'text/plain', 'Idempotency-Key': 'k', Authorization: 'Basic YTpi' };
    await new BookingsClient({ baseUrl: service.baseUrl, token: 't1' }).create(
      {},
      { headers, idempotencyKey: 'order-17' },
    );
    expect(lastRequest()?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'order-17',
      authorization: 'Bearer t1',
    });
  });

  it('may be `Headers`, as may those of the client', async () => {
    const client = new BookingsClient({ baseUrl: service.baseUrl, headers: new Headers({ 'X-Desk': 'north' }) });
    await client.list({}, { headers: new Headers({ 'X-Shift': 'late' }) });
    expect(lastRequest()?.headers).toMatchObject({ 'x-desk': 'north', 'x-shift': 'late' });
    const given = new BookingsClient({ baseUrl: service.baseUrl, headers: () => new Headers({ 'X-Desk': 'west' }) });
    await given.list();
    expect(lastRequest()?.headers).toMatchObject({ 'x-desk': 'west' });
  });
});

describe('an option that is not known', () => {
  it.each<[object, string]>([
    [{ retries: 5 }, 'retries'],
    [{ baseURL: 'http://a.example' }, 'baseURL'],
    [{ signal: AbortSignal.abort() }, 'signal'],
    [{ hooks: { onRequest() {} } }, 'hooks.onRequest'],
  ])('is rejected by the client: %o', (options, name) => {
    expect(() => new BookingsClient({ baseUrl: service.baseUrl, ...options })).toThrow(
      new RegExp(`^There is no option ${name}: the options are .*`),
    );
  });

  it.each<[string, (client: BookingsClient, options: object) => Promise<unknown>]>([
    ['list', (client, options) => client.list({}, options)],
    ['listAll', (client, options) => client.listAll({}, options).next()],
    ['listPages', (client, options) => client.listPages({}, options).next()],
    ['get', (client, options) => client.get('b1', options)],
    ['create', (client, options) => client.create({}, options)],
  ])('rejects a call of %s with a TypeError, and nothing is sent', async (_, call) => {
    const client = new BookingsClient({ baseUrl: service.baseUrl });
    await expect(call(client, { idempotencykey: 'order-17' })).rejects.toThrow(
      /^There is no option idempotencykey: the options are headers, signal, timeout, maxRetries/,
    );
    await expect(call(client, { baseUrl: 'http://a.example' })).rejects.toThrow(TypeError);
    expect(service.requests).toHaveLength(0);
  });

  it('is also one that another call has', async () => {
    const client = new BookingsClient({ baseUrl: service.baseUrl });
    await expect(client.list({}, { idempotencyKey: 'k' } as object)).rejects.toThrow(TypeError);
    await expect(client.get('b1', { idempotencyKey: 'k' } as object)).rejects.toThrow(TypeError);
    await expect(client.create({}, { known: {} } as object)).rejects.toThrow(TypeError);
  });
});

describe('fetch', () => {
  it("may be the caller's own, and is called without a receiver as browsers want it", async () => {
    const receivers: unknown[] = [];
    const fetch = async function (this: unknown, input: string | URL | Request, init?: RequestInit) {
      receivers.push(this);
      return globalThis.fetch(input, init);
    };
    await new BookingsClient({ baseUrl: service.baseUrl, fetch }).list();
    expect(receivers).toEqual([undefined]);
    expect(service.requests).toHaveLength(1);
  });
});

describe('timeout and maxRetries', () => {
  it.each([
    { timeout: 0 },
    { timeout: NaN },
    { timeout: Infinity },
    { timeout: 2 ** 31 },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { maxRetries: Infinity },
  ])('cannot be %p, neither for the client nor for a call', async (limits) => {
    expect(() => new BookingsClient({ baseUrl: service.baseUrl, ...limits })).toThrow(TypeError);
    await expect(new BookingsClient({ baseUrl: service.baseUrl }).list({}, limits)).rejects.toThrow(TypeError);
    expect(service.requests).toHaveLength(0);
  });
});
