import {
  BookingNotFoundError,
  BookingsClient,
  BookingsError,
  ConnectionError,
  ForbiddenError,
  IdempotencyKeyReusedError,
  InternalError,
  InvalidBookingError,
  InvalidRequestError,
  isBookingsError,
  ProblemError,
  RateLimitedError,
  SlotTakenError,
  UnauthenticatedError,
  UnavailableError,
  UnexpectedResponseError,
} from '../src/index.js';
import { hangUp, json, problem, type Reply, ScriptedService, text } from './scripted-service.js';

const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };
const errors = [{ pointer: '#/slot/start', detail: 'is not a string' }];

const service = await ScriptedService.start();
const client = new BookingsClient({ baseUrl: service.baseUrl, maxRetries: 0 });

afterAll(() => service.stop());

const get = (): Promise<unknown> => client.get('b1');
const list = (): Promise<unknown> => client.list();

async function failureOf(reply: Reply, call: () => Promise<unknown> = () => client.create({})): Promise<ProblemError> {
  service.respondsWith(reply);
  try {
    await call();
  } catch (error) {
    return error as ProblemError;
  }
  throw new Error('The call succeeded');
}

describe('a problem of the service', () => {
  it.each([
    [400, 'invalid-request', InvalidRequestError],
    [401, 'unauthenticated', UnauthenticatedError],
    [403, 'forbidden', ForbiddenError],
    [404, 'booking-not-found', BookingNotFoundError],
    [409, 'slot-taken', SlotTakenError],
    [422, 'invalid-booking', InvalidBookingError],
    [422, 'idempotency-key-reused', IdempotencyKeyReusedError],
    [503, 'unavailable', UnavailableError],
    [429, 'rate-limited', RateLimitedError],
    [500, 'internal', InternalError],
    [404, 'route-not-found', ProblemError],
  ])('%i %s has its own class or is a plain ProblemError', async (status, name, errorClass) => {
    const error = await failureOf(problem(status, name, {}, { 'x-request-id': 'r-1' }));
    expect(error).toBeInstanceOf(BookingsError);
    expect(error.constructor).toBe(errorClass);
    expect(error.name).toBe(errorClass.name);
    expect(error).toMatchObject({ status, requestId: 'r-1', problem: { type: `urn:problem-type:bookings:${name}` } });
    expect(error.message).toMatch(new RegExp(`^for a test\\. [A-Z].*\\. \\(${status}, request r-1\\)$`));
  });

  it.each([
    ['the slot that is held', problem(409, 'slot-taken', { conflicting_slot: slot }), { conflictingSlot: slot }],
    [
      'the members at fault, also in its message',
      problem(422, 'invalid-booking', { errors }),
      { errors, message: expect.stringContaining('#/slot/start is not a string') },
    ],
    ['the seconds of Retry-After', problem(503, 'unavailable', {}, { 'retry-after': '7' }), { retryAfter: 7 }],
    ['no seconds without it', problem(503, 'unavailable'), { retryAfter: undefined }],
  ])('has %s', async (_, reply, members) => {
    expect(await failureOf(reply)).toMatchObject(members);
  });

  it('is read despite members of a wrong type', async () => {
    const members = { title: 1, errors: ['x', { pointer: '#', detail: 'y' }], conflicting_slot: null, status: 'bad' };
    const error = await failureOf(problem(422, 'invalid-booking', members));
    expect(error.problem).toMatchObject({
      title: 'Unprocessable Entity',
      errors: [{ pointer: '#', detail: 'y' }],
      status: 422,
    });
    expect(error.problem).not.toHaveProperty('conflicting_slot');
  });
});

describe('an error that is not a problem of the service', () => {
  it.each([
    ["a proxy's page", text(502, '<html>', { 'content-type': 'text/html' }), 502, 'Bad Gateway', 'Try again later'],
    ['no body', text(431, ''), 431, 'Request Header Fields Too Large', 'Change the request'],
    ['JSON of another kind', json(401, { error: 'no' }), 401, 'Unauthorized', 'Check what `token` gives'],
    [
      'a broken problem',
      text(404, '{', { 'content-type': 'application/problem+json' }),
      404,
      'Not Found',
      'Check that baseUrl leads',
    ],
  ])('is a ProblemError with a problem made up for it, and advice: %s', async (_, reply, status, title, advice) => {
    const error = await failureOf(reply);
    expect(error.constructor).toBe(ProblemError);
    expect(error.problem).toMatchObject({ type: 'about:blank', title, status, instance: '/v1/bookings' });
    expect(error.message).toContain(`. ${advice}`);
  });
});

describe('a success that is not what the contract says', () => {
  it.each([
    ['a body that is not JSON', text(200, 'welcome'), get],
    ['a body that is not an object', json(200, []), get],
    ['a booking without an id', json(200, {}), get],
    ['a booking with the status of another operation', json(201, { booking_id: 'b1' }), get],
    ['a 304 to an unconditional request', text(304, ''), get],
    ['a page without bookings', json(200, { next_cursor: null }), list],
    ['a page that does not say what follows', json(200, { bookings: [] }), list],
  ])('is an UnexpectedResponseError: %s', async (_what, reply, call) => {
    const error = await failureOf(reply, call);
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(service.requests).toHaveLength(1);
  });
});

describe('isBookingsError', () => {
  it('distinguishes the errors of the client from others', async () => {
    expect(isBookingsError(await failureOf(hangUp))).toBe(true);
    expect([new TypeError('no'), undefined, { name: 'SlotTakenError' }].some(isBookingsError)).toBe(false);
  });

  it('knows the errors of another copy of the package', async () => {
    const copy = (await import('../dist/index.js')) as { ConnectionError: typeof ConnectionError };
    const error = new copy.ConnectionError('no');
    expect([error instanceof ConnectionError, isBookingsError(error)]).toEqual([false, true]);
  });
});

describe('a ConnectionError', () => {
  it('has the code of a refused connection in its message', async () => {
    // A port of `fetch`'s list would not be tried.
    const refused = new BookingsClient({ baseUrl: 'http://127.0.0.1:2', maxRetries: 0 });
    await expect(refused.get('b1')).rejects.toThrow(
      'GET http://127.0.0.1:2/v1/bookings/b1 got no complete response (ECONNREFUSED). Check baseUrl, the service and CORS.',
    );
  });

  it.each<[string, unknown]>([
    ['ETIMEDOUT', Object.assign(new Error('no'), { code: 'ETIMEDOUT' })],
    // As in Deno, and in browsers.
    ['refused', new TypeError('fetch failed', { cause: new Error('refused') })],
    ['Failed to fetch', new TypeError('Failed to fetch')],
    ['no', new DOMException('no', 'NetworkError')],
    ['undefined', undefined],
  ])('says %s for what `fetch` rejects with', async (reason, cause) => {
    const fetch = () => Promise.reject(cause);
    const call = new BookingsClient({ baseUrl: 'http://a.example', fetch, maxRetries: 0 }).get('b1');
    await expect(call).rejects.toThrow(ConnectionError);
    await expect(call).rejects.toThrow(`no complete response (${reason}).`);
    await expect(call).rejects.toMatchObject({ cause });
  });

  it('of a create carries the key that settles the outcome', async () => {
    const error = await failureOf(hangUp);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.idempotencyKey).toBe(service.requests[0]?.headers['idempotency-key']);
  });
});
