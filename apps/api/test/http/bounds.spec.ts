import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import { untilClosed } from 'testing';
import { head, isSoon, Serving } from './serve.js';

const { jest } = import.meta;
const PIECE = Buffer.alloc(65_536, 'x');
/** More than the kernel buffers of a response that is not read. */
const LARGE = 16 * 1_048_576;

const respond: RequestHandler = (_, response) => void response.end('done');
const respondLate: RequestHandler = (_, response) => void setTimeout(() => response.end(), 1);
const respondLarge: RequestHandler = (_, response) => void response.end(Buffer.alloc(LARGE));
const never: RequestHandler = () => {};

describe('The HTTP server is bounded:', () => {
  let serving: Serving;

  afterEach(() => {
    jest.restoreAllMocks();
    serving.stop();
  });

  const sendWithoutReading = async (bytes: string): Promise<Socket> => {
    const { client, socket } = await serving.send(bytes);
    client.pause();
    return socket;
  };
  const isClosedSoon = (socket: Socket): Promise<boolean> => isSoon(() => socket.closed);

  it('16 requests of a pipeline wait: each gets its response, and behind the last one the connection is closed', async () => {
    serving = await Serving.start(respondLate);
    const received = await untilClosed(serving.url, head('GET /').repeat(10_000));
    expect(received.match(/^HTTP\/1\.1 200/gm)).toHaveLength(17);
    expect(received.match(/^Connection: close/gm)).toHaveLength(1);
    expect(received).toMatch(/Connection: close(?!.*HTTP)/s);
  });

  it.each(['CONNECT localhost:1', 'GET /'])('nor are they lost to a request that is not read: %s', async (line) => {
    serving = await Serving.start(respondLate);
    const unread = head(line, 'Connection: Upgrade', 'Upgrade: websocket');
    const received = await untilClosed(serving.url, head('GET /').repeat(18) + unread);
    expect(received.match(/^HTTP\/1\.1 200/gm)).toHaveLength(17);
  });

  it.each(['CONNECT localhost:1', 'GET /'])('a client that resets then ends nothing else: %s', async (line) => {
    serving = await Serving.start(respondLate);
    const client = await serving.connect();
    const socket = serving.endOf(client);
    client.write(head('GET /').repeat(18) + head(line, 'Connection: Upgrade', 'Upgrade: websocket'));
    await once(serving.server, 'request');
    client.resetAndDestroy();
    // An `error` without a listener would end the process.
    expect(socket.listenerCount('error')).toBeGreaterThan(0);
    expect(await isClosedSoon(socket)).toBe(true);
  });

  it('a connection with a request that never ends is closed once nothing more can be read from it', async () => {
    serving = await Serving.start(never, { requestTimeout: 50, headersTimeout: 50 });
    const { socket } = await serving.send(`${head('GET /')}\0`);
    expect(await isClosedSoon(socket)).toBe(true);
  });

  it('empty lines do not keep a connection open', async () => {
    serving = await Serving.start(respond, { keepAliveTimeout: 50, headersTimeout: 50, requestTimeout: 50 });
    const { client, socket } = await serving.send(head('GET /'));
    const timer = setInterval(() => client.write('\r\n'), 20);
    const isClosed = await isClosedSoon(socket);
    clearInterval(timer);
    expect(isClosed).toBe(true);
  });

  it.each([
    ['headers have', { headersTimeout: 50 }, 'GET / HTTP/1.1\r\nHost:'],
    ['a whole request has', { requestTimeout: 50, headersTimeout: 50 }, head('POST /', 'Content-Length: 2')],
  ])('%s a time limit', async (_, timeouts, bytes) => {
    serving = await Serving.start(never, timeouts);
    const { received } = await serving.send(bytes);
    expect(await isSoon(() => received() !== '')).toBe(true);
    expect(received()).toMatch(/^HTTP\/1\.1 408 .*\r\nConnection: close\r.*request-timeout/s);
  });

  it('a connection without a request has a time limit', async () => {
    serving = await Serving.start(respond, { keepAliveTimeout: 50 });
    const { socket } = await serving.send(head('GET /'));
    // Of inactivity; Node adds a second.
    expect(await isSoon(() => socket.timeout! > 0)).toBe(true);
    expect(socket.timeout).toBeLessThanOrEqual(1_050);
    socket.emit('timeout');
    expect(await isClosedSoon(socket)).toBe(true);
  });

  it('a response that is not read has a time limit', async () => {
    serving = await Serving.start(respondLarge, { responseTimeout: 50 });
    expect(await isClosedSoon(await sendWithoutReading(head('GET /')))).toBe(true);
  });

  it('responses that are not read are bounded in bytes', async () => {
    serving = await Serving.start(respondLarge, { maxUnsentBytes: 1.5 * LARGE });
    const first = await sendWithoutReading(head('GET /'));
    await once(serving.server, 'request');
    const second = await sendWithoutReading(head('GET /'));
    expect(await isClosedSoon(first)).toBe(true);
    expect(second.destroyed).toBe(false);
  });

  it('connections are bounded in number, and one whose client does not read makes room for the next', async () => {
    serving = await Serving.start(respondLarge, { maxConnections: 1 });
    const first = await sendWithoutReading(head('GET /'));
    await once(serving.server, 'request');
    const soon = performance.now() + 1_001;
    jest.spyOn(performance, 'now').mockReturnValue(soon);
    let isDropped = false;
    serving.server.once('drop', () => (isDropped = true));
    fetch(serving.url).catch(() => {});
    expect(await isSoon(() => isDropped)).toBe(true);
    expect(await isClosedSoon(first)).toBe(true);
  });

  it('1,000 headers of a request are read, and more are rejected', async () => {
    serving = await Serving.start((request, response) => void response.end(request.get('X-Last')));
    const withHeaders = (count: number): string =>
      head('GET /', ...Array.from({ length: count - 3 }, () => 'a:'), 'X-Last: seen', 'Connection: close');
    expect(await untilClosed(serving.url, withHeaders(1_000))).toMatch(/seen$/);
    expect(await untilClosed(serving.url, withHeaders(1_001))).toMatch(/^HTTP\/1\.1 431 .*headers-too-large/s);
    expect(await untilClosed(serving.url, withHeaders(16_000))).toMatch(/^HTTP\/1\.1 431 .*headers-too-large/s);
  });

  it('CONNECT is rejected, and takes no response from the requests before it', async () => {
    serving = await Serving.start(respondLate);
    const connect = head('CONNECT localhost:1');
    expect(await untilClosed(serving.url, connect)).toMatch(/^HTTP\/1\.1 400 /);
    const received = await untilClosed(serving.url, head('GET /').repeat(2) + connect);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('a connection on which CONNECT was received is cut like every other one', async () => {
    serving = await Serving.start(never);
    const client = await serving.connect();
    client.write(head('GET /') + head('CONNECT localhost:1'));
    await once(serving.server, 'connect');
    serving.server.closeAllConnections();
    expect(await isClosedSoon(serving.endOf(client))).toBe(true);
  });

  it('a client that does not read what it requested before CONNECT is disconnected', async () => {
    serving = await Serving.start(respondLarge, { responseTimeout: 50 });
    expect(await isClosedSoon(await sendWithoutReading(head('GET /') + head('CONNECT localhost:1')))).toBe(true);
  });

  it('a client that reads it is not', async () => {
    serving = await Serving.start((_, response) => {
      const write = (): void => {
        while (response.write(PIECE));
      };
      response.on('drain', write);
      write();
    });
    const { client } = await serving.send(head('GET /') + head('CONNECT localhost:1'));
    expect(await isSoon(() => client.bytesRead > 8 * 1_048_576)).toBe(true);
  });
});
