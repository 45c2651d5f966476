import { inspect } from 'node:util';
import {
  BookingsClient,
  type ClientOptions,
  ForbiddenError,
  ProblemError,
  UnauthenticatedError,
} from '../src/index.js';
import { hangUp, json, mockBackoff, problem, type Reply, ScriptedService, text } from './scripted-service.js';

const page = json(200, { bookings: [], next_cursor: null });
const rejected = problem(401, 'unauthenticated', {}, { 'www-authenticate': 'Bearer realm="bookings"' });

const service = await ScriptedService.start();

mockBackoff();

const clientWith = (options: Omit<ClientOptions, 'baseUrl'>) =>
  new BookingsClient({ baseUrl: service.baseUrl, ...options });

const sent = () => service.requests.map(({ headers }) => headers.authorization);

function tokens(...given: string[]): () => Promise<string> {
  return async () => (given.length > 1 ? given.shift()! : given[0]!);
}

describe('a token', () => {
  it.each<[string, ClientOptions['token'], string | undefined]>([
    ['as given', 'abc.DEF-123_~+/==', 'Bearer abc.DEF-123_~+/=='],
    ['as its function returns it', () => 't1', 'Bearer t1'],
    ['without one', undefined, undefined],
  ])('is on every request: %s', async (_, token, authorization) => {
    service.respondsWith(page);
    const client = clientWith({ token });
    await client.list();
    await client.list();
    expect(sent()).toEqual([authorization, authorization]);
  });

  it('of a function is new for every attempt', async () => {
    service.respondsWith(hangUp, problem(503, 'unavailable'), page);
    await clientWith({ token: tokens('t1', 't2', 't3') }).list();
    expect(sent()).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3']);
  });

  it.each([302, 307])('and the rest of the request do not follow a redirect: %d', async (status) => {
    const client = clientWith({ token: 't1', headers: { 'X-Api-Key': 'secret' } });
    for (const origin of [service.baseUrl.replace('127.0.0.1', 'localhost'), '']) {
      service.respondsWith(text(status, '', { location: `${origin}/v1/bookings` }), page);
      const name = 'UnexpectedResponseError';
      await expect(client.create({ guest: 'Ada' })).rejects.toMatchObject({ name, status });
      expect(service.requests).toHaveLength(1);
    }
  });
});

describe('a token that is rejected', () => {
  it('is replaced once by its function, which is not an attempt', async () => {
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
    ['its function returns it again', rejected, tokens('t1'), UnauthenticatedError],
    ['it is a string', rejected, 't1', UnauthenticatedError],
    ['it lacks the scope', problem(403, 'forbidden'), tokens('t1', 't2'), ForbiddenError],
  ])('is not replaced if %s', async (_, reply, token, errorClass) => {
    service.respondsWith(reply);
    await expect(clientWith({ token }).list()).rejects.toThrow(errorClass);
    expect(sent()).toEqual(['Bearer t1']);
  });
});

describe('a malformed token', () => {
  it.each(['', 'a b', 'a\nb', 'Bearer secret', 'секрет', 'secret\u0000', 'se=cret', 7, null])(
    'is a TypeError that does not contain it: %j',
    async (bad) => {
      service.respondsWith(page);
      const fault = new TypeError('token must be a bearer token: letters, digits and -._~+/, then optionally =');
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
    ['of another service', text(200, 'welcome')],
  ])('%s never contains the token', async (_, reply) => {
    service.respondsWith(reply);
    const client = clientWith({ token: 's3cr3t-t0ken', maxRetries: 0 });
    const error: unknown = await client.create({}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(inspect([error, client], { depth: 20, showHidden: true })).not.toContain('s3cr3t-t0ken');
  });
});
