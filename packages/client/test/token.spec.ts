import { inspect } from 'node:util';
import {
  BookingsClient,
  type ClientOptions,
  ForbiddenError,
  ProblemError,
  UnauthenticatedError,
} from '../src/index.js';
import { hangUp, json, problem, type Reply, ScriptedService, text } from './scripted-service.js';

const { jest } = import.meta;

const page = json(200, { bookings: [], next_cursor: null });
const rejected = problem(401, 'unauthenticated', {}, { 'www-authenticate': 'Bearer realm="bookings"' });

const service = await ScriptedService.start();

// The backoff is random between 0 and its bound: here it is 0.
beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));

afterEach(() => jest.restoreAllMocks());

afterAll(() => service.stop());

const clientWith = (options: Omit<ClientOptions, 'baseUrl'>) =>
  new BookingsClient({ baseUrl: service.baseUrl, ...options });

const sent = () => service.requests.map(({ headers }) => headers.authorization);

/** A function that gives one token after another, and the last one for ever. */
function tokens(...given: string[]): () => Promise<string> {
  return async () => (given.length > 1 ? given.shift()! : given[0]!);
}

describe('a token', () => {
  it.each<[string, ClientOptions['token'], string | undefined]>([
    ['as it is', 'abc.DEF-123_~+/==', 'Bearer abc.DEF-123_~+/=='],
    ['as its function returns it', () => 't1', 'Bearer t1'],
    ['not at all where there is none', undefined, undefined],
  ])('goes with every request %s', async (_, token, authorization) => {
    service.respondsWith(page);
    const client = clientWith({ token });
    await client.list();
    await client.list();
    expect(sent()).toEqual([authorization, authorization]);
  });

  it('is requested anew for every attempt, where it is a function', async () => {
    service.respondsWith(hangUp, problem(503, 'unavailable'), page);
    await clientWith({ token: tokens('t1', 't2', 't3') }).list();
    expect(sent()).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3']);
  });

  it.each([301, 302, 303, 307, 308])(
    'goes nowhere with a redirect, nor do headers, keys and payloads: %d is no response of the service',
    async (status) => {
      const other = await ScriptedService.start();
      other.respondsWith(page);
      const client = clientWith({ token: 't1', headers: { 'X-Api-Key': 'secret' } });
      for (const location of [`${other.baseUrl.replace('127.0.0.1', 'localhost')}/v1/bookings`, '/v1/bookings']) {
        service.respondsWith(text(status, '', { location }), page);
        await expect(client.create({ guest: 'Ada' })).rejects.toMatchObject({
          name: 'UnexpectedResponseError',
          status,
        });
        expect(service.requests).toHaveLength(1);
      }
      expect(other.requests).toHaveLength(0);
      await other.stop();
    },
  );
});

describe('a token that is rejected', () => {
  it('is replaced once by that of its function, without counting as an attempt', async () => {
    service.respondsWith(rejected, json(201, { booking_id: 'b1' }));
    await clientWith({ token: tokens('old', 'new'), maxRetries: 0 }).create({ guest: 'Ada' });
    expect(sent()).toEqual(['Bearer old', 'Bearer new']);
    const keys = service.requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
  });

  it('is not replaced a second time', async () => {
    service.respondsWith(rejected);
    await expect(clientWith({ token: tokens('t1', 't2', 't3') }).list()).rejects.toThrow(UnauthenticatedError);
    expect(sent()).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it.each<[string, Reply, ClientOptions['token'], typeof ProblemError]>([
    ['its function has no other', rejected, tokens('t1'), UnauthenticatedError],
    ['it is fixed', rejected, 't1', UnauthenticatedError],
    ['it lacks the scope', problem(403, 'forbidden'), tokens('t1', 't2'), ForbiddenError],
  ])('is not replaced where %s', async (_, reply, token, errorClass) => {
    service.respondsWith(reply);
    await expect(clientWith({ token }).list()).rejects.toThrow(errorClass);
    expect(sent()).toEqual(['Bearer t1']);
  });
});

describe('what cannot be a token', () => {
  it.each(['', 'a b', 'a\nb', 'Bearer secret', 'секрет', 'secret\u0000', 'se=cret', 7, null])(
    'is a TypeError that does not show it, and nothing is sent: %j',
    async (bad) => {
      service.respondsWith(page);
      // `Headers` would show it.
      const fault = new TypeError('token must be a bearer token: letters, digits and -._~+/ alone, then perhaps =');
      await expect(clientWith({ token: () => bad as string }).list()).rejects.toThrow(fault);
      expect(() => clientWith({ token: bad as string })).toThrow(fault);
      expect(service.requests).toHaveLength(0);
    },
  );
});

describe('an error', () => {
  it.each<[string, Reply]>([
    ['of the connection', hangUp],
    ['that is a problem', rejected],
    ['of something that is not a booking service', text(200, 'welcome')],
  ])('%s never shows the token', async (_, reply) => {
    service.respondsWith(reply);
    const client = clientWith({ token: 's3cr3t-t0ken', maxRetries: 0 });
    const error: unknown = await client.create({}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(inspect([error, client], { depth: 20, showHidden: true })).not.toContain('s3cr3t-t0ken');
  });
});
