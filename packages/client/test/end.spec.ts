import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { BookingsClient, type ClientOptions, ConnectionError, TimeoutError } from '../src/index.js';
import { json, ScriptedService, silence, stallHalfway, text } from './scripted-service.js';

const { jest } = import.meta;

const service = await ScriptedService.start();
const { baseUrl } = service;
const client = new BookingsClient({ baseUrl, timeout: 1_000_000 });

const reason = new Error('the user left');

type Callback = () => Promise<never>;

const callbacks: [string, (callback: Callback) => Partial<ClientOptions>][] = [
  ['headers', (headers) => ({ headers })],
  ['its token', (token) => ({ token })],
];

describe('an error of a callback', () => {
  it.each(callbacks)('is the error of the call, which sends nothing: %s', async (_, optionsWith) => {
    const failure = new Error('not today');
    const fail = (): never => {
      throw failure;
    };
    for (const callback of [fail as Callback, () => Promise.reject(failure)]) {
      service.respondsWith(text(503, ''));
      await expect(new BookingsClient({ baseUrl, ...optionsWith(callback) }).create({})).rejects.toBe(failure);
      expect(service.requests).toHaveLength(0);
    }
  });
});

describe('the timeout', () => {
  it.each([
    ['no response comes', silence],
    ['the response stops halfway', stallHalfway],
  ])('ends a call if %s', async (_what, reply) => {
    service.respondsWith(reply);
    const call = client.get('b1', { timeout: 50, maxRetries: 0 });
    await expect(call).rejects.toThrow(TimeoutError);
    await expect(call).rejects.toThrow(/GET http.*\/v1\/bookings\/b1 got no response within 50 ms/);
  });

  it('ends a call even if the given fetch ignores signals', async () => {
    const deaf = new BookingsClient({ baseUrl, fetch: () => new Promise(() => {}) });
    await expect(deaf.list({}, { timeout: 50, maxRetries: 0 })).rejects.toThrow(TimeoutError);
  });
});

describe("the caller's signal", () => {
  it('prevents the request if it has already aborted', async () => {
    service.respondsWith(json(201, { booking_id: 'b1' }));
    await expect(client.create({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(service.requests).toHaveLength(0);
  });

  it.each([
    ['while no response comes', silence],
    ['while the response comes', stallHalfway],
    ['between two attempts', text(503, '', { 'retry-after': '60' })],
  ])(
    'ends a call at once, with its reason: %s',
    async (_what, reply) => {
      service.respondsWith(reply);
      const controller = new AbortController();
      // On a slow machine, a request of an earlier test may arrive only now.
      const attempts = () => service.requests.filter(({ url }) => url.endsWith('/left'));
      const ended = client.get('left', { signal: controller.signal }).catch((error: unknown) => error);
      while (attempts().length === 0) await sleep(1);
      await sleep(50);
      controller.abort(reason);
      expect(await ended).toBe(reason);
      expect(attempts()).toHaveLength(1);
    },
    // The call would take longer without the abort.
    50_000,
  );

  it.each(callbacks)('ends a call while it awaits %s', async (_name, optionsWith) => {
    const controller = new AbortController();
    const wait = jest.fn(() => {
      controller.abort(reason);
      return new Promise<never>(() => {});
    });
    service.respondsWith(text(503, ''));
    const waiting = new BookingsClient({ baseUrl, ...optionsWith(wait) });
    await expect(waiting.list({}, { signal: controller.signal })).rejects.toBe(reason);
    expect(wait).toHaveBeenCalledTimes(1);
  });

  it('ends a call even with the reason of a retry', async () => {
    const lost = Object.assign(new ConnectionError('lost'), { cause: new TypeError('lost') });
    const controller = new AbortController();
    const headers = jest.fn(() => {
      controller.abort(lost);
      return {};
    });
    service.respondsWith(silence);
    const waiting = new BookingsClient({ baseUrl, headers });
    await expect(waiting.list({}, { signal: controller.signal })).rejects.toBe(lost);
    expect(headers).toHaveBeenCalledTimes(1);
  });

  it('ends a call on platforms without `reason`', async () => {
    const old = Object.assign(new EventTarget(), { aborted: false }) as unknown as AbortSignal;
    service.respondsWith(silence);
    const call = client.list({}, { signal: old });
    setTimeout(() => old.dispatchEvent(new Event('abort')), 20);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    Object.assign(old, { aborted: true });
    await expect(client.list({}, { signal: old })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('has no listeners after the call', async () => {
    const { signal } = new AbortController();
    service.respondsWith(text(503, '', { 'retry-after': '0' }), json(200, { booking_id: 'b1' }));
    await client.get('b1', { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
