import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { ServiceProcess, until, untilClosed } from 'testing';
import { head } from 'testing/raw-http';
import { Reply, send } from '../../src/edge/reply.js';
import type { ServerSettings } from '../../src/server/bounded-server.js';
import { Serving } from './serve.js';

/** Bytes of a response: more than the kernel buffers. */
const LARGE = 16 * 1_048_576;
const CHUNKED = 'Transfer-Encoding: chunked';

const HEADERS_OF_PROBLEMS = [
  'Content-Type: application/problem+json',
  'Cache-Control: private, no-cache',
  "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy: same-origin',
  'Referrer-Policy: no-referrer',
  'X-Content-Type-Options: nosniff',
];

const respond: RequestHandler = (_, response) => void response.end('done');
const readAndRespond: RequestHandler = (request, response) =>
  void request.resume().once('end', () => setTimeout(() => response.end(), 1));
const respondLarge: RequestHandler = (_, response) => void response.end(Buffer.alloc(LARGE));

/** Bytes on a connection, the statuses of the responses, and the problem of the last one, which closes it. */
type Row = [limit: string, bytes: string, statuses: number[], problem?: string, instance?: string];

const rows: Row[] = [
  ['two requests of a long pipeline', head('GET /').repeat(10_000), [200, 200]],
  [
    'a body that is late, though the response closes the connection',
    head('POST /a', 'Upgrade: b', 'Content-Length: 2'),
    [408],
    'request-timeout',
    '/a',
  ],
  ['long chunk extensions', `${head('POST /a', CHUNKED)}1;${'b'.repeat(20_000)}\r\n`, [413], 'payload-too-large', '/a'],
  ['other bytes than HTTP after a request', `${head('GET /')}\0`, [200]],
  ['a broken body', `${head('POST /a', CHUNKED)}zz\r\n`, [400], 'invalid-request', '/a'],
  ['a broken body after a request', `${head('GET /')}${head('POST /a', CHUNKED)}zz\r\n`, [200]],
  ['CONNECT', head('CONNECT localhost:1'), []],
];

const lengths = ['7, 7', '+7'];
const codings = ['xchunked', 'identity', 'chunked, identity', 'gzip, chunked', 'chunked, chunked', 'chunked\x0b', ''];
const sizes = ['0x7', '8'];
/** Framing that another parser may read as another request (RFC 9112 §11.2). */
const ambiguous: string[] = [
  ...lengths.map((length) => `${head('POST /a', `Content-Length: ${length}`)}{"a":1}`),
  ...codings.map((coding) => `${head('POST /a', `Transfer-Encoding: ${coding}`)}7\r\n{"a":1}\r\n0\r\n\r\n`),
  ...sizes.map((size) => `${head('POST /a', CHUNKED)}${size}\r\n{"a":1}\r\n0\r\n\r\n`),
];

const JSON_TYPE = 'Content-Type: application/json';
const inChunks = (chunks: string, ...more: string[]): string =>
  `${head('POST /v1/bookings', JSON_TYPE, ...more, CHUNKED)}${chunks}`;

it('A request with ambiguous framing is 400 even with --insecure-http-parser in NODE_OPTIONS', async () => {
  const service = await ServiceProcess.start({ NODE_OPTIONS: '--insecure-http-parser' });
  const received = await untilClosed(service.url, inChunks('2\r\n{}\r\n0\r\n\r\n', 'Content-Length: 2'));
  await service.stop();
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
});

describe('The HTTP server', () => {
  let serving: Serving;

  afterEach(() => serving.stop());

  const sendWithoutReading = async (bytes: string): Promise<Socket> => {
    const { client, socket } = await serving.send(bytes);
    client.pause();
    return socket;
  };

  it.each(ambiguous)('rejects ambiguous framing with 400, and closes the connection: %j', async (bytes) => {
    serving = await Serving.start(readAndRespond);
    expect(await untilClosed(serving.url, bytes)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each(rows)('closes the connection after %s', async (_, bytes, statuses, ...[problem, instance]) => {
    const limit = statuses[0] === 408 ? 1_000 : 60_000;
    serving = await Serving.start(readAndRespond, { requestTimeout: limit });
    const received = await untilClosed(serving.url, bytes);
    expect(Array.from(received.matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, status]) => Number(status))).toEqual(statuses);
    const last = received.split(/^(?=HTTP\/1\.1 \d)/m).at(-1)!;
    expect(statuses.length === 0 || /^Connection: close\r$/m.test(last)).toBe(true);
    if (problem === undefined) return;
    const [head, body] = last.split('\r\n\r\n');
    expect(JSON.parse(body!)).toMatchObject({ type: `urn:problem-type:bookings:${problem}`, instance });
    for (const header of HEADERS_OF_PROBLEMS) expect(head!.split('\r\n')).toContain(header);
  });

  it('gives the headers at most 10 s of the time for a request', async () => {
    serving = await Serving.start(readAndRespond, { requestTimeout: 60_000 });
    expect(serving.server.headersTimeout).toBe(10_000);
  });

  it('rejects a request with its id, and HEAD without content', async () => {
    serving = await Serving.start(() => {});
    const broken = `${head('HEAD /', CHUNKED, 'X-Request-Id: mine')}zz\r\n`;
    expect(await untilClosed(serving.url, broken)).toMatch(
      /^HTTP.*\r\nContent-Length: \d+\r.*X-Request-Id: mine\r\n\r\n$/s,
    );
  });

  const closed: [what: string, settings: Partial<ServerSettings>][] = [
    ['the time of a response that is not read', { responseTimeout: 50 }],
    ['the bytes of all responses that are not read', { maxUnsentBytes: 1.5 * LARGE }],
  ];
  it.each(closed)('bounds %s', async (_, settings) => {
    serving = await Serving.start(respondLarge, settings);
    const first = await sendWithoutReading(head('GET /'));
    await until(() => first.writableLength > 0 || first.closed);
    const second = await sendWithoutReading(head('GET /'));
    await until(() => first.closed);
    expect(settings.maxUnsentBytes === undefined || !second.destroyed).toBe(true);
  });

  it('gives a client that reads slowly and steadily all the time that it takes', async () => {
    serving = await Serving.start((_, response) => void response.end(Buffer.alloc(4 * LARGE)), {
      responseTimeout: 1_000,
    });
    const client = await serving.connect();
    client.write(head('GET /', 'Connection: close'));
    let received = 0;
    const begun = performance.now();
    for await (const piece of client as AsyncIterable<Buffer>) {
      received += piece.length;
      await sleep(2);
    }
    expect(performance.now() - begun).toBeGreaterThan(1_500);
    expect(received).toBeGreaterThan(4 * LARGE);
  });

  it('bounds these bytes even while it cuts responses off, however many requests arrive at once', async () => {
    let waiting = 8;
    let open = 0;
    let mostOpen = 0;
    const handler: RequestHandler = ({ socket }, response) => {
      waiting--;
      open++;
      mostOpen = Math.max(mostOpen, open);
      socket.once('close', () => open--);
      response.end(Buffer.alloc(LARGE));
    };
    serving = await Serving.start(handler, { maxUnsentBytes: 1.5 * LARGE });
    const clients = await Promise.all(Array.from({ length: waiting }, () => serving.connect()));
    for (const client of clients) client.write(head('GET /'));
    await until(() => waiting === 0);
    expect(mostOpen).toBeLessThanOrEqual(2);
  });

  it('renders nothing for a client that has left', async () => {
    let isHandled = false;
    let isRendered: boolean | undefined;
    const handler: RequestHandler = (_, response) => {
      isHandled = true;
      response.once('close', () => {
        send(response, new Reply(200, { type: 'application/json', body: 'é' }));
        isRendered = response.headersSent;
      });
    };
    serving = await Serving.start(handler);
    const client = await serving.connect();
    client.write(head('GET /'));
    await until(() => isHandled);
    client.resetAndDestroy();
    await until(() => isRendered !== undefined);
    expect(isRendered).toBe(false);
  });

  it('bounds the time that a connection waits for its next request', async () => {
    serving = await Serving.start(respond, { keepAliveTimeout: 50 });
    const { socket } = await serving.send(head('GET /'));
    // Node adds a second.
    await until(() => socket.timeout! > 0);
    expect(socket.timeout).toBeLessThanOrEqual(1_050);
  });

  it('bounds the time that a client keeps its side open after the last response', async () => {
    serving = await Serving.start(respond);
    const { client, socket } = await serving.send(head('GET /', 'Connection: close'));
    await once(client, 'end');
    await until(() => socket.destroyed);
  });

  it('bounds the number of connections', async () => {
    serving = await Serving.start(respond, { maxConnections: 1 });
    await serving.connect();
    const dropped = once(serving.server, 'drop');
    await expect(fetch(serving.url)).rejects.toThrow('fetch failed');
    await dropped;
  });
});
