import { BookingsClient, BookingsError, ConnectionError, type Hooks, UnavailableError } from '../src/index.js';
import { booking, hangUp, json, mockBackoff, problem, ScriptedService } from './scripted-service.js';

const { jest } = import.meta;
const created = json(201, booking, { 'x-request-id': 'r-1' });

const service = await ScriptedService.start();
const url = `${service.baseUrl}/v1/bookings`;

mockBackoff();

const clientWith = (hooks: Hooks, options: object = {}) =>
  new BookingsClient({ baseUrl: service.baseUrl, hooks, ...options });

describe('beforeRequest', () => {
  it('gets each request of a call, and may add headers after an await', async () => {
    const seen: unknown[] = [];
    const client = clientWith({
      async beforeRequest({ headers, ...request }) {
        await Promise.resolve();
        seen.push({ ...request, key: headers.has('idempotency-key') });
        headers.set('traceparent', `trace-${request.attempt}`);
      },
    });
    service.respondsWith(hangUp, created);
    await client.create({ guest: 'Ada' });
    const request = { method: 'POST', url, body: '{"guest":"Ada"}', key: true };
    expect(seen).toEqual([
      { ...request, attempt: 1 },
      { ...request, attempt: 2 },
    ]);
    expect(service.requests.map(({ headers }) => headers['traceparent'])).toEqual(['trace-1', 'trace-2']);
  });

  it('cannot remove the idempotency key', async () => {
    const client = clientWith({ beforeRequest: ({ headers }) => headers.delete('idempotency-key') });
    service.respondsWith(created);
    await client.create({}, { idempotencyKey: 'order-17' });
    expect(service.requests[0]?.headers['idempotency-key']).toBe('order-17');
  });

  it('is called again for another token', async () => {
    const attempts: number[] = [];
    const tokens = ['old', 'new'];
    const token = () => tokens.shift()!;
    const client = clientWith({ beforeRequest: ({ attempt }) => void attempts.push(attempt) }, { token });
    service.respondsWith(problem(401, 'unauthenticated'), created);
    await client.create({});
    expect(attempts).toEqual([1, 1]);
  });
});

describe('afterResponse', () => {
  it('gets each response, errors included', async () => {
    const seen: unknown[] = [];
    const client = clientWith({
      afterResponse({ headers, milliseconds, ...response }) {
        expect(milliseconds).toBeGreaterThanOrEqual(0);
        seen.push({ ...response, type: headers.get('content-type')?.split(';')[0] });
      },
    });
    service.respondsWith(problem(503, 'unavailable'), hangUp, created);
    await client.create({});
    const request = { method: 'POST', url };
    expect(seen).toEqual([
      { ...request, attempt: 1, status: 503, requestId: undefined, type: 'application/problem+json' },
      { ...request, attempt: 3, status: 201, requestId: 'r-1', type: 'application/json' },
    ]);
  });
});

describe('beforeRetry', () => {
  it('gets the error and the pause', async () => {
    const seen: unknown[] = [];
    const client = clientWith({ beforeRetry: (retry) => void seen.push(retry) });
    service.respondsWith(hangUp, problem(503, 'unavailable', {}, { 'retry-after': '0' }), created);
    await client.create({});
    const request = { method: 'POST', url };
    expect(seen).toEqual([
      { ...request, attempt: 2, delay: 0, error: expect.any(ConnectionError) },
      { ...request, attempt: 3, delay: 0, error: expect.any(UnavailableError) },
    ]);
  });

  it.each([
    ['an error that is not retried', problem(409, 'slot-taken'), 3],
    ['the last attempt', hangUp, 0],
  ])('is not called after %s', async (_, reply, maxRetries) => {
    const beforeRetry = jest.fn();
    service.respondsWith(reply);
    await expect(clientWith({ beforeRetry }).create({}, { maxRetries })).rejects.toThrow(BookingsError);
    expect(beforeRetry).not.toHaveBeenCalled();
  });

  it('ends the call by throwing its error, which keeps the key', async () => {
    const giveUp = ({ error }: { error: Error }): never => {
      throw error;
    };
    service.respondsWith(problem(500, 'internal'));
    const call = clientWith({ beforeRetry: giveUp }).create({}, { idempotencyKey: 'order-17' });
    await expect(call).rejects.toMatchObject({ name: 'InternalError', idempotencyKey: 'order-17' });
    expect(service.requests).toHaveLength(1);
  });
});
