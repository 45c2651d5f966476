import { type ProblemName, problemType, problemTypes } from '@booking-service/contracts/problem-types';
import * as errors from '../src/errors.js';
import { BookingsClient } from '../src/index.js';
import { hangUp, json, problem, type Reply, ScriptedService, text } from './scripted-service.js';

const service = await ScriptedService.start();
const client = new BookingsClient({ baseUrl: service.baseUrl, maxRetries: 0 });

const get = (): Promise<unknown> => client.get('b1');
const list = (): Promise<unknown> => client.list();

async function failureOf(
  reply: Reply,
  call: () => Promise<unknown> = () => client.create({}),
): Promise<errors.ProblemError> {
  service.respondsWith(reply);
  try {
    await call();
  } catch (error) {
    return error as errors.ProblemError;
  }
  throw new Error('The call succeeded');
}

describe('a problem of the service', () => {
  it.each<[number, ProblemName, typeof errors.ProblemError]>([
    [400, 'invalid-request', errors.InvalidRequestError],
    [401, 'unauthenticated', errors.UnauthenticatedError],
    [403, 'forbidden', errors.ForbiddenError],
    [404, 'booking-not-found', errors.BookingNotFoundError],
    [409, 'slot-taken', errors.SlotTakenError],
    [422, 'invalid-booking', errors.InvalidBookingError],
    [422, 'idempotency-key-reused', errors.IdempotencyKeyReusedError],
    [503, 'unavailable', errors.UnavailableError],
    [429, 'rate-limited', errors.RateLimitedError],
    [500, 'internal', errors.InternalError],
    [404, 'route-not-found', errors.ProblemError],
  ])('has a class: %i %s', async (status, type, errorClass) => {
    const error = await failureOf(problem(status, type, {}, { 'x-request-id': 'r-1' }));
    expect(error).toBeInstanceOf(errors.BookingsError);
    expect(error.constructor).toBe(errorClass);
    expect(error).toMatchObject({ name: errorClass.name, status, requestId: 'r-1' });
    expect(error.problem.type).toBe(problemType(type));
    expect(error.message).toMatch(new RegExp(`^for a test\\. [A-Z].*\\. \\(${status}, request r-1\\)$`));
  });

  it('has the class that is named after it, if there is one', async () => {
    const names = Object.keys(problemTypes) as ProblemName[];
    const found = new Set<unknown>();
    for (const name of names) found.add((await failureOf(problem(400, name))).constructor);
    const exported: unknown[] = Object.values(errors);
    const classes = exported.filter((value) => Object(value).prototype instanceof errors.ProblemError);
    expect(found).toEqual(new Set([errors.ProblemError, ...classes]));
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
    expect(error.message).toContain('Correct the payload: # y.');
  });
});

describe('an error response without a problem', () => {
  it.each([
    ["a proxy's page", text(502, '<html>', { 'content-type': 'text/html' }), 502, 'Bad Gateway', 'Try again later'],
    ['no body', text(431, ''), 431, 'Request Header Fields Too Large', 'Change the request'],
    ['another JSON', json(401, { error: 'no' }), 401, 'Unauthorized', 'Check the value of `token`'],
    [
      'a broken problem',
      text(404, '{', { 'content-type': 'application/problem+json' }),
      404,
      'Not Found',
      'Check that baseUrl leads',
    ],
  ])('is a ProblemError with a default problem and advice: %s', async (_, reply, status, title, advice) => {
    const error = await failureOf(reply);
    expect(error.constructor).toBe(errors.ProblemError);
    expect(error.problem).toMatchObject({ type: 'about:blank', title, status, instance: '/v1/bookings' });
    expect(error.message).toContain(`. ${advice}`);
  });
});

describe('a success that breaks the contract', () => {
  it.each([
    ['a body that is not JSON', text(200, 'welcome'), get],
    ['a body that is not an object', json(200, []), get],
    ['a booking without an id', json(200, {}), get],
    ['a booking with the status of another operation', json(201, { booking_id: 'b1' }), get],
    ['a 304 to an unconditional request', text(304, ''), get],
    ['a page without bookings', json(200, { next_cursor: null }), list],
    ['a page without a cursor', json(200, { bookings: [] }), list],
    ['a page with null for a booking', json(200, { bookings: [null], next_cursor: null }), list],
    ['a body of more than 8 MiB', text(200, `${' '.repeat(8 * 1_048_576)}{"booking_id":"b1"}`), get],
  ])('is an UnexpectedResponseError: %s', async (_what, reply, call) => {
    const error = await failureOf(reply, call);
    expect(error).toBeInstanceOf(errors.UnexpectedResponseError);
    expect(service.requests).toHaveLength(1);
  });
});

it('isBookingsError recognizes the errors of any copy of the package, and no others', async () => {
  const copy = (await import('../dist/index.js')) as Pick<typeof errors, 'ConnectionError'>;
  const error = new copy.ConnectionError('no');
  expect(error).not.toBeInstanceOf(errors.ConnectionError);
  const all = [error, await failureOf(hangUp), new TypeError('no'), undefined, { name: 'SlotTakenError' }];
  expect(all.map(errors.isBookingsError)).toEqual([true, true, false, false, false]);
});

describe('a ConnectionError', () => {
  it('has the code of a refused connection in its message', async () => {
    // `fetch` blocks some ports, but not this one.
    const refused = new BookingsClient({ baseUrl: 'http://127.0.0.1:2', maxRetries: 0 });
    await expect(refused.get('b1')).rejects.toThrow(
      'GET http://127.0.0.1:2/v1/bookings/b1 got no complete response (ECONNREFUSED). Check baseUrl, the service and CORS.',
    );
  });

  it.each<[string, unknown]>([
    ['ETIMEDOUT', Object.assign(new Error('no'), { code: 'ETIMEDOUT' })],
    ['refused', new TypeError('fetch failed', { cause: new Error('refused') })],
    ['Failed to fetch', new TypeError('Failed to fetch')],
    ['no', new DOMException('no', 'NetworkError')],
    ['undefined', undefined],
  ])('contains the reason why `fetch` failed: %s', async (reason, cause) => {
    const fetch = () => Promise.reject(cause);
    const call = new BookingsClient({ baseUrl: 'http://a.example', fetch, maxRetries: 0 }).get('b1');
    await expect(call).rejects.toThrow(errors.ConnectionError);
    await expect(call).rejects.toThrow(`no complete response (${reason}).`);
    await expect(call).rejects.toMatchObject({ cause });
  });

  it('of a create has its key', async () => {
    const error = await failureOf(hangUp);
    expect(error).toBeInstanceOf(errors.ConnectionError);
    expect(error.idempotencyKey).toBe(service.requests[0]?.headers['idempotency-key']);
  });
});
