import { BookingsClient, ConnectionError, ProblemError } from '../src/index.js';
import {
  booking,
  breakOff,
  hangUp,
  json,
  mockBackoff,
  problem,
  type Reply,
  ScriptedService,
  silence,
  text,
} from './scripted-service.js';

const { jest } = import.meta;

const service = await ScriptedService.start();
const client = new BookingsClient({ baseUrl: service.baseUrl });

mockBackoff();

const retryAfter = (value: string) => text(503, '', { 'retry-after': value });

async function pausesOf(...script: Reply[]): Promise<number[]> {
  const timeout = 12_345;
  const pauses: number[] = [];
  const { setTimeout } = globalThis;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, delay: number) => {
    if (delay === timeout) return setTimeout(callback, delay);
    pauses.push(delay);
    return setTimeout(callback, 0);
  }) as typeof setTimeout);
  service.respondsWith(...script, json(200, booking));
  await client.get('b1', { timeout, maxRetries: script.length });
  return pauses;
}

describe('a call is retried', () => {
  it.each([
    ['408', text(408, '')],
    ['429', text(429, '')],
    ['500', problem(500, 'internal')],
    ["a proxy's 502", text(502, '<html>')],
    ['a connection that closes without a response', hangUp],
    ['a response that breaks off', breakOff],
  ])('after %s', async (_what, reply) => {
    service.respondsWith(reply, json(200, booking));
    await expect(client.get('b1')).resolves.toEqual(booking);
    expect(service.requests).toHaveLength(2);
  });

  it('after a timeout', async () => {
    service.respondsWith(silence, json(200, booking));
    await expect(client.get('b1', { timeout: 1_000 })).resolves.toEqual(booking);
  });

  it('with the key and the payload of its first attempt', async () => {
    const payload = { guest: 'Ada' };
    service.respondsWith(
      (response) => {
        payload.guest = 'Bob';
        response.destroy();
      },
      problem(503, 'unavailable'),
      json(201, booking),
    );
    await expect(client.create(payload)).resolves.toEqual(booking);
    expect(service.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"guest":"Ada"}'));
    expect(new Set(service.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('three times by default, and fails with the last error', async () => {
    service.respondsWith(hangUp, hangUp, hangUp, problem(500, 'internal'));
    await expect(client.list()).rejects.toThrow(ProblemError);
    expect(service.requests).toHaveLength(4);
  });

  it.each([0, 1])('`maxRetries` times: %i', async (maxRetries) => {
    service.respondsWith(hangUp);
    await expect(client.list({}, { maxRetries })).rejects.toThrow(ConnectionError);
    expect(service.requests).toHaveLength(1 + maxRetries);
  });
});

describe('a call is not retried', () => {
  it.each([400, 401, 403, 404, 409, 413, 422])('after %i', async (status) => {
    service.respondsWith(json(status, {}, { 'retry-after': '0' }));
    await expect(client.create({})).rejects.toMatchObject({ status });
    expect(service.requests).toHaveLength(1);
  });

  it.each<[string, string | RegExp, typeof fetch]>([
    [
      'throws',
      /^offline/,
      () => {
        throw new TypeError('offline');
      },
    ],
    [
      'rejects with another error than that of a network',
      'got no complete response (no such name)',
      async () => {
        throw new ReferenceError('no such name');
      },
    ],
    ['blocks the port', 'got no complete response (bad port)', (_, init) => fetch('http://127.0.0.1:9', init)],
  ])('when `fetch` %s', async (_, message, ownFetch) => {
    const counted = jest.fn(ownFetch);
    await expect(new BookingsClient({ baseUrl: 'http://a.example', fetch: counted }).list()).rejects.toThrow(message);
    expect(counted).toHaveBeenCalledTimes(1);
  });

  it('after a Retry-After of more than a minute', async () => {
    service.respondsWith(problem(503, 'unavailable', {}, { 'retry-after': '61' }));
    await expect(client.list()).rejects.toMatchObject({ retryAfter: 61 });
    expect(service.requests).toHaveLength(1);
  });
});

describe('the pause before a retry', () => {
  it('is random, with a maximum that doubles up to eight seconds', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(1);
    await expect(pausesOf(...Array<Reply>(7).fill(hangUp))).resolves.toEqual([250, 500, 1000, 2000, 4000, 8000, 8000]);
  });

  it('is Retry-After in seconds plus the random pause', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    await expect(pausesOf(retryAfter('0'), retryAfter('60'))).resolves.toEqual([125, 60_250]);
  });

  it('lasts until the date of Retry-After', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 11));
    const future = retryAfter('Tue, 01 Dec 2026 00:00:30 GMT');
    const past = retryAfter('Sun, 06 Nov 1994 08:49:37 GMT');
    await expect(pausesOf(future, past)).resolves.toEqual([30_000, 0]);
  });

  it.each(['soon', '-5', '1.5', ''])('ignores the Retry-After %j', async (value) => {
    await expect(pausesOf(retryAfter(value))).resolves.toEqual([0]);
  });
});
