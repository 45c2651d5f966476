import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { send } from 'testing/raw-http';
import { Problem } from '../../src/http/problem.js';
import { RequestLog } from '../../src/observability/request-log.js';
import { api } from '../support/api.js';
import { aKey, aResource, aSlot, create } from '../support/bookings.js';
import { type RunningApp, startApp, type StartOptions } from '../support/start-app.js';

const { jest } = import.meta;
let running: RunningApp;

async function start(env: Record<string, string> = {}, options?: StartOptions) {
  running = await startApp(env, options);
  return api(running.url);
}

afterEach(() => {
  jest.restoreAllMocks();
  return running.close();
});

/** The lines of requests, when there are that many. */
async function requestLines(count: number): Promise<Record<string, unknown>[]> {
  for (let tries = 0; ; tries++) {
    const lines = running.logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => 'request_id' in line);
    if (lines.length >= count || tries === 100) return lines;
    await sleep(20);
  }
}

describe('The log', () => {
  it('has no line for a request that is completed in time', async () => {
    const service = await start();
    const { booking_id } = await create(service);
    await service.get(`/v1/bookings/${booking_id}`).expect(200);
    await sleep(50);
    expect(running.logged).toEqual([]);
  });

  it('has one line for each request with ACCESS_LOG', async () => {
    const service = await start({ ACCESS_LOG: 'true' });
    const { headers } = await service.post('/v1/bookings').send({}).expect(201);
    await service.get('/v1/bookings/nothing?x=1').expect(404);
    await service.get('/nothing').expect(404);
    const lines = await requestLines(3);
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        request_id: headers['x-request-id'],
        operation: 'createBooking',
        method: 'POST',
        route: '/v1/bookings',
        status: 201,
        outcome: 'completed',
        duration_ms: expect.any(Number),
        msg: 'Request',
      },
      expect.objectContaining({ operation: 'getBooking', route: '/v1/bookings/:booking_id', status: 404 }),
      expect.not.objectContaining({ route: expect.anything() }),
    ]);
  });

  it('has a warning for a request that was slow', async () => {
    const now = performance.now.bind(performance);
    const service = await start(
      { SLOW_REQUEST_MS: '60000' },
      {
        middleware: ({ method }, _, next) => {
          if (method === 'POST') jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
          next();
        },
      },
    );
    await service.get('/v1/bookings').expect(200);
    await service.post('/v1/bookings').send({}).expect(201);
    const [line, ...more] = await requestLines(1);
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'warn', msg: 'Request slow', operation: 'createBooking', status: 201 });
    expect(line!['duration_ms']).toBeGreaterThanOrEqual(60_000);
  });

  it.each([['some'], ['none'], ['all']])(
    'has 20 warnings for slow requests of an operation in ten seconds, and a line that counts the others (LOG_REFUSALS=%s)',
    async (rejections) => {
      const service = await start(
        { SLOW_REQUEST_MS: '1', LOG_REFUSALS: rejections },
        { middleware: (_request, _, next) => void setTimeout(next, 3) },
      );
      await Promise.all(Array.from({ length: 33 }, () => service.get('/v1/bookings').expect(200)));
      await requestLines(20);
      await running.app.close();
      const lines = running.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.filter(({ msg }) => msg === 'Request slow')).toHaveLength(20);
      expect(lines).toContainEqual(
        expect.objectContaining({ msg: 'Lines left out', operation: 'listBookings', lines: 13 }),
      );
    },
  );

  it('has 20 lines in ten seconds for a store that is unavailable to clients that have left', async () => {
    await start();
    const gone = { closed: true, req: { headers: {} } } as unknown as Response;
    for (let n = 0; n < 33; n++) {
      running.app.get(RequestLog).recordProblem({ method: 'GET' } as Request, gone, new Problem('unavailable'));
    }
    expect(await requestLines(20)).toHaveLength(20);
  });

  it('has an error with its stack for a fault of the service', async () => {
    await start(
      {},
      {
        middleware: () => {
          throw new TypeError('broken on purpose');
        },
      },
    );
    const { status, headers } = await fetch(`${running.url}/v1/bookings`);
    expect(status).toBe(500);
    const lines = await requestLines(1);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: 'Request failed',
        request_id: headers.get('x-request-id'),
        status: 500,
        outcome: 'failed',
        problem: 'internal',
        err: expect.objectContaining({ type: 'TypeError', stack: expect.stringContaining('log.spec.ts') }),
      }),
    ]);
  });

  it('has only a debug line for a client that leaves', async () => {
    await start({ LOG_LEVEL: 'debug' });
    const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
    socket.write(
      'POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
    await sleep(100);
    socket.destroy();
    await once(socket, 'close');
    const lines = await requestLines(1);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'debug',
        msg: 'Request aborted',
        operation: 'createBooking',
        status: 499,
        outcome: 'aborted',
      }),
    ]);
  });

  it('never has a payload, a token, a key, a query or a path of a caller', async () => {
    const service = await start({ LOG_LEVEL: 'trace', ACCESS_LOG: 'true', SLOW_REQUEST_MS: '1' });
    const secret = 'hidden-c0ffee';
    const headers = { Authorization: `Bearer ${secret}`, Cookie: secret, 'User-Agent': secret };
    const slot = aSlot(`${aResource()} ${secret}`);
    const book = (payload: object, key = `${aKey()}-${secret}`) =>
      service.post('/v1/bookings').set(headers).set('Idempotency-Key', key).send(payload);
    await book({ slot, secret }, secret).expect(201);
    await book({ slot, secret }, secret).expect(201);
    await book({ slot, other: secret }, secret).expect(422);
    await book({ slot }).expect(409);
    await book({ booking_id: secret }).expect(422);
    await service.get('/v1/bookings').query({ resource_id: secret }).set(headers).expect(200);
    await service.get('/v1/bookings').query({ cursor: secret }).expect(400);
    await service.get(`/v1/bookings/${secret}`).set(headers).expect(404);
    const json = { 'Content-Type': 'application/json' };
    await send(running.url, { method: 'POST', target: '/v1/bookings', headers: json, body: `{"a":${secret}` });
    await send(running.url, { target: `/${secret}?${secret}` });
    expect(await requestLines(10)).toHaveLength(10);
    expect(running.logged.filter((line) => line.includes('c0ffee'))).toEqual([]);
  });
});

describe('Nest', () => {
  it('logs its start at the level of debug in the same log', async () => {
    await start({ LOG_LEVEL: 'debug' });
    expect(running.logged.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({
        level: 'debug',
        context: 'RouterExplorer',
        msg: expect.stringContaining('Mapped {/v1/bookings, GET}'),
      }),
    );
  });
});
