import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { BookingsClient, type ClientOptions, SlotTakenError, UnexpectedResponseError } from '../src/index.js';
import { booking, breakOff, json, mockBackoff, problem, ScriptedService, text } from './scripted-service.js';

const emptyPage = json(200, { bookings: [], next_cursor: null });

const service = await ScriptedService.start();
const { baseUrl } = service;

beforeEach(() => service.respondsWith(emptyPage));

mockBackoff();

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

  it('is required', () => {
    const withoutOptions = BookingsClient as new () => BookingsClient;
    expect(() => new withoutOptions()).toThrow(/^baseUrl must be an absolute http/);
  });
});

describe('headers', () => {
  it('of a call override those of the client', async () => {
    const client = new BookingsClient({ baseUrl, headers: { 'X-Desk': 'north', 'X-Shift': 'early' } });
    await client.list({}, { headers: { 'x-desk': 'south' } });
    expect(lastHeaders()).toMatchObject({ 'x-desk': 'south', 'x-shift': 'early' });
    await client.list();
    expect(lastHeaders()).toMatchObject({ 'x-desk': 'north', 'x-shift': 'early' });
  });

  it("have a default `User-Agent` with the platform's `fetch`", async () => {
    await new BookingsClient({ baseUrl }).list();
    expect(lastHeaders()).toMatchObject({ 'user-agent': 'booking-service-client' });
    await new BookingsClient({ baseUrl, fetch: (...request) => fetch(...request) }).list();
    expect(lastHeaders()).toMatchObject({ 'user-agent': 'node' });
    await new BookingsClient({ baseUrl, headers: { 'User-Agent': 'desk/2' } }).list();
    expect(lastHeaders()).toMatchObject({ 'user-agent': 'desk/2' });
  });

  it('of a function are new for every attempt', async () => {
    let count = 0;
    const headers = async () => new Headers({ 'x-count': `${++count}` });
    service.respondsWith(json(503, {}, { 'retry-after': '0' }), emptyPage);
    await new BookingsClient({ baseUrl, headers }).list();
    expect(service.requests.map((request) => request.headers['x-count'])).toEqual(['1', '2']);
  });

  it.each(['client', 'call'])("of the %s do not replace the client's own", async (giver) => {
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
});

describe('fetch', () => {
  it('is called without a receiver, as browsers require', async () => {
    const receivers: unknown[] = [];
    const fetch = async function (this: unknown, input: string | URL | Request, init?: RequestInit) {
      receivers.push(this);
      return globalThis.fetch(input, init);
    };
    await new BookingsClient({ baseUrl, fetch }).list();
    expect(receivers).toEqual([undefined]);
    expect(service.requests).toHaveLength(1);
  });

  it('may add a `traceparent` to every attempt, and keeps the rest', async () => {
    let span = 0;
    const traced: typeof fetch = async (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('traceparent', `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b${++span}-01`);
      return fetch(url, { ...init, headers });
    };
    service.respondsWith(json(503, {}, { 'retry-after': '0' }), json(201, { booking_id: 'b1' }));
    await new BookingsClient({ baseUrl, fetch: traced }).create({ guest: 'Ada' }, { idempotencyKey: 'order-17' });
    expect(service.requests.map(({ headers }) => headers['traceparent']?.at(-4))).toEqual(['1', '2']);
    const last = { method: 'POST', body: '{"guest":"Ada"}', headers: { 'idempotency-key': 'order-17' } };
    expect(service.requests.at(-1)).toMatchObject(last);
  });

  describe('may return a body that is a stream of Node, as node-fetch does:', () => {
    const nodeFetch = async (...request: Parameters<typeof fetch>): Promise<Response> => {
      const { status, statusText, headers, body } = await fetch(...request);
      return { status, statusText, headers, body: Readable.fromWeb(body as NodeReadableStream) } as unknown as Response;
    };
    const client = new BookingsClient({ baseUrl, fetch: nodeFetch });

    it('a booking', async () => {
      service.respondsWith(json(201, { ...booking, guest: 'Zoë' }));
      await expect(client.create({ guest: 'Zoë' })).resolves.toEqual({ ...booking, guest: 'Zoë' });
      expect(service.requests).toHaveLength(1);
    });

    it('a problem', async () => {
      service.respondsWith(problem(409, 'slot-taken'));
      await expect(client.create({})).rejects.toThrow(SlotTakenError);
      expect(service.requests).toHaveLength(1);
    });

    it('one that breaks off, and is requested again', async () => {
      service.respondsWith(breakOff, json(200, booking));
      await expect(client.get('b1')).resolves.toEqual(booking);
    });

    it('more than 8 MiB, and fails', async () => {
      service.respondsWith(text(200, `${' '.repeat(8 * 1_048_576)}{"booking_id":"b1"}`));
      await expect(client.get('b1')).rejects.toThrow('The response is longer than 8 MiB');
    });
  });

  it.each<[string, string, (response: Response) => unknown]>([
    ['one that was read', 'its body has been read already', (response) => response.text().then(() => response)],
    ['the parsed body', 'text is not a function', (response) => response.json()],
    ['nothing', 'undefined', () => undefined],
  ])('must return a response: after %s, a create fails at once, with its key', async (_, reason, change) => {
    service.respondsWith(json(201, booking));
    const changed = (async (...request) => change(await fetch(...request))) as typeof fetch;
    const error: unknown = await new BookingsClient({ baseUrl, fetch: changed }).create({}).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ message: expect.stringContaining(reason) as string });
    expect(error).toMatchObject({ idempotencyKey: service.requests[0]?.headers['idempotency-key'] });
    expect(service.requests).toHaveLength(1);
  });

  it('must be a function', () => {
    expect(() => new BookingsClient({ baseUrl, fetch: 7 as unknown as typeof fetch })).toThrow(
      'fetch must be a function',
    );
  });
});

it.each<[object, string]>([
  [{ retries: 5 }, 'There is no option retries: the options are baseUrl, fetch, token,'],
  [{ signal: AbortSignal.abort() }, 'There is no option signal'],
  [{ hooks: {} }, 'There is no option hooks'],
  [{ timeout: 0 }, 'timeout is 0: give milliseconds from 1 to 2147483647'],
  [{ maxRetries: -1 }, 'maxRetries is -1: give a whole number from 0'],
])('A client with %o is a TypeError', (options, message) => {
  expect(() => new BookingsClient({ baseUrl, ...options })).toThrow(message);
});
