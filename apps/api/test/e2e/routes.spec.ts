import { METHODS } from 'node:http';
import { send } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aProblem, create, list } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
let id: string;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
  id = (await create(service)).booking_id;
});
afterAll(() => running.close());

describe('The three operations', () => {
  it('are at exactly the methods and paths of the interface', async () => {
    await service.get('/v1/bookings').expect(200);
    await service.post('/v1/bookings').send({}).expect(201);
    await service.get(`/v1/bookings/${id}`).expect(200);
  });

  it.each([
    '/v1/bookings/',
    '/v1/bookings//',
    '//v1/bookings',
    '/v1//bookings',
    '/V1/bookings',
    '/v1/Bookings',
    '/v1/BOOKINGS',
    '/v1/booking',
    '/v1/bookings.json',
    '/v1%2Fbookings',
    '/bookings',
    '/v2/bookings',
    '/v1',
    '/v1/',
    '/',
    '/*',
  ])('are not at %s', async (target) => {
    const before = await list(service);
    for (const method of ['GET', 'POST']) {
      const { status, text } = await send(running.url, { method, target });
      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject({ ...aProblem('route-not-found'), instance: target });
    }
    expect(await list(service)).toEqual(before);
  });

  it.each(['/', '/x', '//', '/%2F/'])('leave a booking at its own path alone: not with %s after it', async (suffix) => {
    const { status, text } = await send(running.url, { target: `/v1/bookings/${id}${suffix}` });
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject(aProblem('route-not-found'));
  });

  it('take their paths with and without a query', async () => {
    expect((await send(running.url, { target: '/v1/bookings?' })).status).toBe(200);
    expect((await send(running.url, { target: `/v1/bookings/${id}?` })).status).toBe(200);
  });
});

describe('Another method', () => {
  // CONNECT never reaches an application: Node closes the connection.
  const others = METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'OPTIONS', 'POST'].includes(method));

  it('is one of many that Node knows', () => {
    expect(others).toEqual(expect.arrayContaining(['DELETE', 'PATCH', 'PROPFIND', 'PUT', 'TRACE']));
  });

  it.each(others)('%s is refused on the collection, which says what it takes', async (method) => {
    const { status, headers, text } = await send(running.url, { method, target: '/v1/bookings' });
    expect(status).toBe(405);
    expect(headers['allow']).toBe('GET, HEAD, POST, OPTIONS');
    expect(JSON.parse(text)).toMatchObject(aProblem('method-not-allowed'));
  });

  it.each([...others, 'POST'])('%s is refused on a booking, whether or not there is one', async (method) => {
    for (const target of [`/v1/bookings/${id}`, '/v1/bookings/nothing']) {
      const { status, headers, text } = await send(running.url, { method, target });
      expect(status).toBe(405);
      expect(headers['allow']).toBe('GET, HEAD, OPTIONS');
      expect(JSON.parse(text)).toMatchObject(aProblem('method-not-allowed'));
    }
  });

  it('is not smuggled in by a header', async () => {
    const { booking_id } = await create(service);
    await service.post('/v1/bookings').set('X-HTTP-Method-Override', 'DELETE').send({}).expect(201);
    await service.get(`/v1/bookings/${booking_id}`).set('X-HTTP-Method-Override', 'DELETE').expect(200);
  });
});

describe('HEAD', () => {
  it.each([
    ['the list', () => '/v1/bookings?limit=1'],
    ['a booking', () => `/v1/bookings/${id}`],
    ['a booking that is not there', () => '/v1/bookings/nothing'],
    ['a query that is refused', () => '/v1/bookings?limit=0'],
    ['a path that is not there', () => '/v1/nothing'],
  ])('returns for %s what GET returns, without the body', async (_, target) => {
    const headers = { 'X-Request-Id': 'same' };
    const get = await send(running.url, { target: target(), headers });
    const head = await send(running.url, { method: 'HEAD', target: target(), headers });
    expect(head.status).toBe(get.status);
    expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
    expect(head.text).toBe('');
  });
});

describe('OPTIONS', () => {
  it.each([
    ['/v1/bookings', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/bookings/anything', 'GET, HEAD, OPTIONS'],
  ])('on %s says %s', async (path, allow) => {
    const { text, headers } = await service.options(path).expect(204);
    expect(headers['allow']).toBe(allow);
    expect(text).toBe('');
  });

  it('finds nothing where nothing is', async () => {
    const { body } = await service.options('/v1/nothing').expect(404);
    expect(body).toMatchObject(aProblem('route-not-found'));
  });
});

describe('Outside /v1', () => {
  it.each(['/docs', '/openapi.json', '/health/live', '/health/ready', '/metrics'])(
    'the service has the page %s',
    async (path) => {
      await service.get(path).expect(200);
    },
  );

  it.each(['/health', '/docs-json', '/docs-yaml', '/openapi.yaml', '/favicon.ico', '/metrics/', '/.env', '/docs/../x'])(
    'there is nothing at %s',
    async (target) => {
      const { status, text } = await send(running.url, { target });
      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject(aProblem('route-not-found'));
    },
  );
});
