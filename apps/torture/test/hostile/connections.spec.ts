import { setTimeout as sleep } from 'node:timers/promises';
import type { BookingPageDto } from '@booking-service/contracts';
import { createTestDatabase, type TestDatabase } from 'testing';
import { send } from 'testing/raw-http';
import { Replica } from '../deployment/replica.js';
import { durationOf, isBack, type Vitals, vitalsOf } from './vitals.js';
import { converse, WireClient, type WireResponse } from './wire-client.js';

const HEADERS_TIMEOUT = 1_000;
const REQUEST_TIMEOUT = 1_500;
const RESPONSE_TIMEOUT = 1_500;

const head = (line: string, ...headers: string[]): string =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
const create = (body: string, ...headers: string[]): string =>
  head('POST /v1/bookings', 'Content-Type: application/json', `Content-Length: ${body.length}`, ...headers) + body;
/** A page of about 1 MiB: the bookings that were made first. */
const LARGE_PAGE = 'GET /v1/bookings?limit=100&sort=created_at';
const statusesOf = (responses: readonly WireResponse[]): number[] => responses.map(({ status }) => status);

describe('On one connection,', () => {
  let database: TestDatabase;
  let service: Replica;
  let fresh: Vitals;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await Replica.start({
      NODE_OPTIONS: '--max-old-space-size=256',
      HEADERS_TIMEOUT_MS: String(HEADERS_TIMEOUT),
      REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT),
      RESPONSE_TIMEOUT_MS: String(RESPONSE_TIMEOUT),
      DATABASE_URL: database.url,
    });
    await bookLarge();
    // What is loaded once is there: connections of the pool, files of the page.
    for (const target of ['/v1/bookings', '/docs', '/metrics', '/openapi.json']) await send(service.url, { target });
    fresh = await vitalsOf(service.pid);
  });

  afterEach(() => expect(service.faults).toEqual([]));

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** The bookings that have a member `mark` of this value. */
  const marked = async (mark: string): Promise<unknown[]> => {
    const { text } = await send(service.url, { target: '/v1/bookings?limit=100' });
    return (JSON.parse(text) as BookingPageDto).bookings.filter((booking) => booking['mark'] === mark);
  };

  /** Fills the store with bookings that make pages as large as they get. */
  const bookLarge = async (): Promise<void> => {
    const body = JSON.stringify({ note: 'x'.repeat(60_000) });
    const headers = { 'Content-Type': 'application/json' };
    for (let count = 0; count < 40; count++)
      await send(service.url, { method: 'POST', target: '/v1/bookings', headers, body });
  };

  // The pool of the database opens connections as they are needed, ten at most.
  const expectFresh = (): Promise<void> => isBack(service.pid, fresh, { moreSockets: 10 });

  it('creates of one connection are carried out in order', async () => {
    for (let round = 0; round < 20; round++) {
      const slot = (from: number, to: number): string =>
        JSON.stringify({
          slot: { resource_id: `order-${round}`, start: `2026-12-01T0${from}:00:00Z`, end: `2026-12-01T0${to}:00:00Z` },
        });
      const responses = await converse(service.url, create(slot(1, 3)) + create(slot(2, 4)) + create(slot(3, 5)));
      expect(statusesOf(responses)).toEqual([201, 409, 201]);
    }
  });

  it.each([
    ['two hosts', head('GET /v1/bookings', 'Host: other'), 400],
    ['an unknown expectation', head('GET /v1/bookings', 'Expect: more'), 417],
    ['Connection: close', head('GET /v1/nothing', 'Connection: close'), 404],
    ['HTTP/1.0', 'GET /v1/nothing HTTP/1.0\r\n\r\n', 404],
    ['Upgrade', head('GET /v1/nothing', 'Connection: Upgrade', 'Upgrade: websocket'), 404],
    ['Upgrade with a body', create('{}', 'Connection: Upgrade', 'Upgrade: h2c'), 201],
    ['bytes that are not HTTP', '\0\0\0\r\n\r\n', 400],
    ['large headers', head('GET /v1/bookings', `X-Large: ${'x'.repeat(20_000)}`), 431],
  ])(
    'nothing is carried out after the response that closes, in one packet or later: %s',
    async (what, bytes, status) => {
      const mark = `after ${what}`;
      const next = create(JSON.stringify({ mark }));
      const atOnce = await WireClient.open(service.url);
      atOnce.socket.write(bytes + next);
      const later = await WireClient.open(service.url);
      later.socket.write(bytes);
      await later.until(1);
      later.socket.write(next);
      for (const client of [atOnce, later]) {
        const responses = await client.untilClosed();
        expect(statusesOf(responses)).toEqual([status]);
        expect(responses[0]!.headers['connection']).toBe('close');
      }
      expect(await marked(mark)).toEqual([]);
    },
  );

  it.each([
    ['Connection: close', head('GET /v1/nothing', 'Connection: close')],
    ['HTTP/1.0', 'GET /v1/nothing HTTP/1.0\r\n\r\n'],
    ['Upgrade', head('GET /v1/nothing', 'Connection: Upgrade', 'Upgrade: websocket')],
  ])('the last response is not lost to what the client sends on meanwhile: %s', async (_, last) => {
    // More than the system takes for a client that does not read.
    const pages = Array.from({ length: 16 }, () => 200);
    const client = await WireClient.open(service.url, { reads: false });
    client.socket.write(head(LARGE_PAGE).repeat(pages.length) + last);
    await sleep(100);
    client.socket.write(create('{"mark":"lost"}').repeat(100));
    await sleep(100);
    client.read();
    expect(statusesOf(await client.untilClosed())).toEqual([...pages, 404]);
    expect(await marked('lost')).toEqual([]);
  });

  it.each([
    ['an unknown path', head('GET /v1/nothing'), 404],
    ['another method', head('DELETE /v1/bookings'), 405],
    ['too large', create('x'.repeat(65_537)), 413],
    ['no JSON', create('{'), 400],
  ])('what comes after a rejection that does not close is carried out once: %s', async (what, bytes, status) => {
    const mark = `once after ${what}`;
    const client = await WireClient.open(service.url);
    client.socket.write(bytes + create(JSON.stringify({ mark })));
    expect(statusesOf(await client.until(2))).toEqual([status, 201]);
    client.socket.destroy();
    expect(await marked(mark)).toHaveLength(1);
  });

  it('a create that was rejected with 408 is not booked, whatever arrives later', async () => {
    const late = async (mark: string, bytes: string, cut: number): Promise<void> => {
      const client = await WireClient.open(service.url);
      client.socket.write(bytes.slice(0, cut));
      expect(statusesOf(await client.until(1))).toEqual([408]);
      client.socket.write(bytes.slice(cut));
      expect(statusesOf(await client.untilClosed())).toEqual([408]);
      expect(await marked(mark)).toEqual([]);
    };
    const bytes = (mark: string): string => create(JSON.stringify({ mark }));
    await Promise.all([
      late('late head', bytes('late head'), 40),
      late('late end of head', bytes('late end of head'), bytes('late end of head').indexOf('\r\n\r\n') + 2),
      late('late body', bytes('late body'), bytes('late body').length - 1),
    ]);
  });

  it('nothing is left of clients that pipeline and leave, nor of the files that they requested', async () => {
    const leaving = Array.from({ length: 50 }, async (_, index) => {
      const client = await WireClient.open(service.url, { reads: index % 2 === 0 });
      const requests = [head('GET /docs/swagger-ui-bundle.js'), head('GET /v1/bookings'), create('{"left":true}')];
      client.socket.write(requests.join('').repeat(10));
      await sleep(index % 7);
      if (index % 3 === 0) client.socket.resetAndDestroy();
      else client.socket.destroy();
    });
    await Promise.all(leaving);
    await expectFresh();
  });

  it('1,300 pages that are not read delay no other client, and end with the response timeout', async () => {
    const client = await WireClient.open(service.url, { reads: false });
    client.socket.write(head(LARGE_PAGE).repeat(1_300));
    const start = performance.now();
    let slowest = 0;
    while (performance.now() - start < RESPONSE_TIMEOUT) {
      const duration = await durationOf(service.pid, async () => {
        expect((await send(service.url, { target: '/health/live' })).status).toBe(200);
      });
      slowest = Math.max(slowest, duration);
      await sleep(50);
    }
    expect(slowest).toBeLessThan(1_000);
    await expectFresh();
    client.socket.destroy();
  });

  it('a client that reads slowly and steadily gets all of its pages', async () => {
    const client = await WireClient.open(service.url, { reads: false });
    client.socket.write(head(LARGE_PAGE).repeat(9) + head(LARGE_PAGE, 'Connection: close'));
    const start = performance.now();
    let bytes = 0;
    for (let chunk: Buffer | null = null; !client.socket.readableEnded; chunk = client.socket.read(65_536) as Buffer) {
      bytes += chunk?.length ?? 0;
      await sleep(60);
    }
    client.socket.destroy();
    expect(performance.now() - start).toBeGreaterThan(2 * RESPONSE_TIMEOUT);
    expect(bytes).toBeGreaterThan(9_000_000);
  });

  it('SIGTERM ends it in time, with clients that have left, that do not read and that wait', async () => {
    const stubborn = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const client = await WireClient.open(service.url, { reads: index % 2 === 0 });
        client.socket.write(head(LARGE_PAGE).repeat(30));
        if (index % 4 < 2) client.socket.destroy();
        return client;
      }),
    );
    expect(await service.stop(15_000)).toBe(0);
    for (const { socket } of stubborn) socket.destroy();
    await service.restart();
  });
});
