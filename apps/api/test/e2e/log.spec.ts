import { once } from 'node:events';
import { connect } from 'node:net';
import type { BookingDto } from '@booking-service/contracts';
import { BadRequestException } from '@nestjs/common';
import type { RequestHandler, Response } from 'express';
import { untilClosed, until } from 'testing';
import { send } from 'testing/raw-http';
import { Problem } from '../../src/edge/problem.js';
import { RequestLog } from '../../src/features/monitoring/request-log.js';
import { type Api, api } from '../support/api.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const { jest } = import.meta;
let running: RunningApp;

async function start(env: Record<string, string> = {}, middleware?: RequestHandler): Promise<Api> {
  running = await startApp(env, (app) => middleware && app.use(middleware));
  return api(running.url);
}

afterEach(() => jest.restoreAllMocks());

type Line = Record<string, unknown>;

/** Waits for this many lines of requests, which are written after the responses. */
async function requestLines(count: number): Promise<Line[]> {
  const found = (): Line[] =>
    running.logged.map((line) => JSON.parse(line) as Line).filter((line) => 'request_id' in line);
  await until(() => found().length >= count);
  return found();
}

interface Row {
  readonly env?: Record<string, string>;
  readonly middleware?: RequestHandler;
  readonly request: (service: Api) => Promise<unknown>;
  readonly line: Line;
}

const throws =
  (error: Error): RequestHandler =>
  () => {
    throw error;
  };

/** A minute passes while a create is served. */
const slow: RequestHandler = ({ method }, _, next) => {
  const now = performance.now.bind(performance);
  if (method === 'POST') jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
  next();
};

const invalid = { slot: { resource_id: 7, start: 'c0ffee', end: 'c0ffee' } };
const debug = { LOG_LEVEL: 'debug' };
const access = { ACCESS_LOG: 'true' };

const rows: Record<string, Row> = {
  'a request, if the access log is on': {
    env: access,
    request: (service) => service.post('/v1/bookings').send({}).expect(201),
    line: {
      level: 'info',
      msg: 'Request',
      operation: 'createBooking',
      method: 'POST',
      route: '/v1/bookings',
      status: 201,
      outcome: 'completed',
      duration_ms: expect.any(Number),
      request_id: expect.any(String),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
  },
  'a rejected request, at the level debug': {
    env: debug,
    request: (service) => service.post('/v1/bookings').send(invalid).expect(422),
    line: {
      level: 'debug',
      msg: 'Request rejected',
      route: '/v1/bookings',
      outcome: 'rejected',
      problem: 'invalid-booking',
    },
  },
  'bytes that are not an HTTP request': {
    env: debug,
    request: () => untilClosed(running.url, 'GET / HTTP/1.1\r\nHost: a\r\nBroken\r\n\r\n'),
    line: { level: 'debug', status: 400, outcome: 'rejected', problem: 'invalid-request' },
  },
  'a client that left, at the level debug': {
    env: debug,
    request: async () => {
      const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
      const head = 'POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9';
      socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`);
      await once(socket, 'data');
      socket.destroy();
    },
    line: { level: 'debug', msg: 'Request aborted', operation: 'createBooking', status: 499, outcome: 'aborted' },
  },
  'a slow request': {
    middleware: slow,
    request: (service) => service.post('/v1/bookings').send({}).expect(201),
    line: { level: 'warn', msg: 'Request slow', operation: 'createBooking', status: 201 },
  },
  'a slow rejection, at the level debug': {
    env: debug,
    middleware: slow,
    request: (service) => service.post('/v1/bookings').send({ slot: 1 }).expect(422),
    line: { level: 'debug', msg: 'Request rejected', status: 422, problem: 'invalid-booking' },
  },
  'a fault of the service, with its stack': {
    middleware: throws(new TypeError('broken on purpose')),
    request: () => fetch(`${running.url}/v1/bookings`),
    line: {
      level: 'error',
      msg: 'Request failed',
      status: 500,
      outcome: 'failed',
      problem: 'internal',
      err: expect.objectContaining({ type: 'TypeError', stack: expect.stringContaining('log.spec.ts') }),
    },
  },
  'an exception of Nest that is not the fault of the client': {
    middleware: throws(new BadRequestException()),
    request: () => fetch(`${running.url}/v1/bookings`),
    line: {
      level: 'error',
      status: 500,
      problem: 'internal',
      err: expect.objectContaining({ type: 'BadRequestException' }),
    },
  },
  'a store that is unavailable to a client that has left': {
    request: async () => {
      const gone = { closed: true, req: { method: 'GET', headers: {} } } as unknown as Response;
      running.app.get(RequestLog).rejected(new Problem('unavailable'), 'r-1', gone);
    },
    line: { level: 'warn', msg: 'Request failed', status: 499, outcome: 'failed', problem: 'unavailable' },
  },
};

describe('The log', () => {
  afterEach(() => running.close());

  it.each(Object.entries(rows))('has one line for %s', async (_, { env, middleware, request, line }) => {
    await request(await start(env, middleware));
    expect(await requestLines(1)).toEqual([expect.objectContaining(line)]);
  });

  it('has no line for a request that is completed or rejected in time, and the metrics count it', async () => {
    const service = await start();
    const slot = aSlot(aResource());
    await service.post('/v1/bookings').send({ slot }).expect(201);
    await service.post('/v1/bookings').send({ slot }).expect(409);
    await untilClosed(running.url, 'GET / HTTP/1.1\r\nHost: a\r\nBroken\r\n\r\n');
    const { text } = await service.get('/metrics').expect(200);
    expect(text).toMatch(/^http_problems_total\{problem="slot-taken"\} 1$/m);
    expect(text).toMatch(/^http_problems_total\{problem="invalid-request"\} 1$/m);
    expect(text).toMatch(/^http_problems_total\{problem="internal"\} 0$/m);
    expect(running.logged).toEqual([]);
  });

  it('names the booking of a create and of a replay, if the access log is on', async () => {
    const service = await start(access);
    const book = () => service.post('/v1/bookings').set('Idempotency-Key', 'a-key').expect(201);
    const { body } = await book();
    await book();
    await service.get('/v1/bookings').expect(200);
    const { booking_id: id } = body as BookingDto;
    expect((await requestLines(3)).map((line) => line['booking_id'])).toEqual([id, id, undefined]);
  });

  it('never has a payload, a token, a key, a query or a path of a caller', async () => {
    const service = await start({ LOG_LEVEL: 'trace', ACCESS_LOG: 'true', SLOW_REQUEST_MS: '1' });
    const secret = 'hidden-c0ffee';
    const headers = { Authorization: `Bearer ${secret}`, Cookie: secret, 'User-Agent': secret };
    const slot = aSlot(`${aResource()} ${secret}`);
    const book = (payload: object, idempotencyKey = `${aKey()}-${secret}`) =>
      service.post('/v1/bookings').set(headers).set('Idempotency-Key', idempotencyKey).send(payload);
    await book({ slot, secret }, secret).expect(201);
    await book({ slot, secret }, secret).expect(201);
    await book({ slot, other: secret }, secret).expect(422);
    await book({ slot }).expect(409);
    await book({ booking_id: secret }).expect(422);
    await book({ slot: { ...slot, [secret]: 1 } }).expect(422);
    await service.get('/v1/bookings').query({ resource_id: secret }).set(headers).expect(200);
    await service.get('/v1/bookings').query({ cursor: secret }).expect(400);
    await service.get(`/v1/bookings/${secret}`).set(headers).expect(404);
    const json = { 'Content-Type': 'application/json' };
    await send(running.url, { method: 'POST', target: '/v1/bookings', headers: json, body: `{"a":${secret}` });
    await send(running.url, { target: `/${secret}?${secret}` });
    expect(await requestLines(11)).toHaveLength(11);
    expect(running.logged.filter((line) => line.includes('c0ffee'))).toEqual([]);
  });
});
