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

let service: ScriptedService;
let client: BookingsClient;

beforeAll(async () => {
  service = await ScriptedService.start();
  client = new BookingsClient({ baseUrl: service.baseUrl, maxRetries: 0 });
});

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

  it('names the slot that is held when the slot is taken', async () => {
    const error = await failureOf(problem(409, 'slot-taken', { conflicting_slot: slot }));
    expect(error).toMatchObject({ conflictingSlot: slot });
  });

  it('lists the members at fault when the payload is no booking, also in its message', async () => {
    const errors = [{ pointer: '#/slot/start', detail: 'is not a string' }];
    const error = await failureOf(problem(422, 'invalid-booking', { errors }));
    expect(error).toMatchObject({ errors });
    expect(error.message).toContain('#/slot/start is not a string');
  });

  it('has the seconds of Retry-After', async () => {
    expect(await failureOf(problem(503, 'unavailable', {}, { 'retry-after': '7' }))).toMatchObject({ retryAfter: 7 });
    expect(await failureOf(problem(503, 'unavailable'))).toMatchObject({ retryAfter: undefined });
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
    ["a proxy's page", text(502, '<html>', { 'content-type': 'text/html' }), 502, 'Bad Gateway'],
    ['nothing', text(431, ''), 431, 'Request Header Fields Too Large'],
    ['JSON of another kind', json(400, { error: 'no' }), 400, 'Bad Request'],
    ['a broken problem', text(404, '{', { 'content-type': 'application/problem+json' }), 404, 'Not Found'],
  ])('is a ProblemError with a problem made up for it: %s', async (_what, reply, status, title) => {
    const error = await failureOf(reply);
    expect(error.constructor).toBe(ProblemError);
    expect(error.problem).toMatchObject({ type: 'about:blank', title, status, instance: '/v1/bookings' });
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
    expect(isBookingsError(await failureOf(problem(409, 'slot-taken')))).toBe(true);
    expect([new Error('no'), new TypeError('no'), undefined, { name: 'SlotTakenError' }].some(isBookingsError)).toBe(
      false,
    );
  });
});

describe('a ConnectionError', () => {
  const failureBy = async (cause: unknown): Promise<string> => {
    const fetch = () => Promise.reject(cause);
    return new BookingsClient({ baseUrl: 'http://service.example', fetch, maxRetries: 0 }).get('b1').then(
      () => '',
      ({ message }: Error) => message,
    );
  };

  it('has the code of a refused connection in its message', async () => {
    // A port of `fetch`'s list would not be tried.
    const refused = new BookingsClient({ baseUrl: 'http://127.0.0.1:2', maxRetries: 0 });
    await expect(refused.get('b1')).rejects.toThrow(
      'GET http://127.0.0.1:2/v1/bookings/b1 got no complete response (ECONNREFUSED). Check baseUrl and the service.',
    );
    expect(await failureBy(Object.assign(new Error('no'), { code: 'ETIMEDOUT' }))).toContain('response (ETIMEDOUT).');
  });

  it.each([new TypeError('Failed to fetch'), new DOMException('no', 'NetworkError'), 'no', undefined])(
    'names CORS where there is no code, as in browsers: %p',
    async (cause) => {
      expect(await failureBy(cause)).toBe(
        'GET http://service.example/v1/bookings/b1 got no complete response (CORS?). Check baseUrl and the service.',
      );
    },
  );
});

describe('an error of a create', () => {
  it('carries the key that settles the outcome', async () => {
    const error = await failureOf(hangUp);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.cause).toBeDefined();
    expect(error.idempotencyKey).toBe(service.requests[0]?.headers['idempotency-key']);
  });
});
