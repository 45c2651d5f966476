import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { untilClosed } from 'testing';
import { flood, head, isClosedWithin, Serving } from './serve.js';

const PIECE = Buffer.alloc(65_536, 'x');
/** Milliseconds after which Node has checked its time limits of 100 ms, which it does once a second. */
const CHECKED = 3_000;

const respond: RequestHandler = (_, response) => void response.end('done');
/** Responds, and leaves the body of the request where it is. */
const never: RequestHandler = () => {};

describe('The HTTP server is bounded:', () => {
  let serving: Serving;

  afterEach(() => serving.stop());

  /** A connection whose request is the last one, and which the client leaves open. */
  const afterLastResponse = async (): Promise<Socket> => {
    const client = await serving.connect();
    client.resume().write(head('GET /', 'Connection: close'));
    await once(client, 'end');
    return serving.endOf(client);
  };

  it('a client that does not close behind the last response is disconnected after half a second', async () => {
    serving = await Serving.start(respond);
    expect(await isClosedWithin(await afterLastResponse(), 2_000)).toBe(true);
  });

  it('a client that sends more than 1 MiB behind the last response is disconnected at once', async () => {
    serving = await Serving.start(respond);
    const silent = await afterLastResponse();
    const client = await serving.connect();
    client.resume().write(head('GET /', 'Connection: close'));
    await once(client, 'end');
    flood(client, PIECE);
    await once(serving.endOf(client), 'close');
    expect(silent.destroyed).toBe(false);
  });

  it('a client that sends on behind the last response, whatever it is, has time to read it', async () => {
    serving = await Serving.start(respond);
    const client = await serving.connect();
    const socket = serving.endOf(client);
    client.resume().write(head('GET /', 'Connection: close'));
    await once(client, 'end');
    const respondedAt = performance.now();
    for (const bytes of ['\0', head('GET /'), '\0', Buffer.alloc(500_000)]) {
      client.write(bytes);
      await sleep(20);
    }
    await once(socket, 'close');
    expect(performance.now() - respondedAt).toBeGreaterThan(300);
  });

  it('a body that turns out to be broken behind its response gets no other one', async () => {
    serving = await Serving.start(respond);
    const client = await serving.connect();
    client.write(head('POST /', 'Transfer-Encoding: chunked'));
    let received = '';
    client.on('data', (bytes: Buffer) => (received += bytes.toString()));
    await once(client, 'data');
    client.write('zz\r\n');
    await once(client, 'end');
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    client.destroy();
  });

  it('a body that goes on without end behind its response ends its connection', async () => {
    serving = await Serving.start(respond);
    const client = await serving.connect();
    client.resume().write(head('POST /', 'Content-Length: 999999999999'));
    await once(client, 'data');
    flood(client, PIECE);
    expect(await isClosedWithin(serving.endOf(client), 2_000)).toBe(true);
  });

  it('16 requests of a pipeline wait: each gets its response, and behind the last one the connection is closed', async () => {
    serving = await Serving.start((_, response) => void setTimeout(() => response.end(), 1));
    const received = await untilClosed(serving.url, head('GET /').repeat(10_000));
    expect(received.match(/^HTTP\/1\.1 200/gm)).toHaveLength(17);
    expect(received.match(/^Connection: close/gm)).toHaveLength(1);
    expect(received).toMatch(/Connection: close(?!.*HTTP)/s);
  });

  it.each(['CONNECT localhost:1', 'GET /'])('nor are they lost to a request that is not read: %s', async (line) => {
    serving = await Serving.start((_, response) => void setTimeout(() => response.end(), 1));
    const unread = head(line, 'Connection: Upgrade', 'Upgrade: websocket');
    const received = await untilClosed(serving.url, head('GET /').repeat(18) + unread);
    expect(received.match(/^HTTP\/1\.1 200/gm)).toHaveLength(17);
  });

  it.each(['CONNECT localhost:1', 'GET /'])('a client that resets then ends nothing else: %s', async (line) => {
    serving = await Serving.start((_, response) => void setTimeout(() => response.end(), 1));
    const client = await serving.connect();
    client.write(head('GET /').repeat(18) + head(line, 'Connection: Upgrade', 'Upgrade: websocket'));
    await once(serving.server, 'request');
    const socket = serving.endOf(client);
    client.resetAndDestroy();
    // An `error` without a listener would end the process.
    expect(socket.listenerCount('error')).toBeGreaterThan(0);
    expect(await isClosedWithin(socket, CHECKED)).toBe(true);
  });

  it('a connection with a request that never ends is closed once nothing more can be read from it', async () => {
    serving = await Serving.start(never, { requestTimeout: 100, headersTimeout: 100 });
    const client = await serving.connect();
    client.write(head('GET /') + '\0');
    expect(await isClosedWithin(serving.endOf(client), CHECKED)).toBe(true);
  });

  it('empty lines do not keep a connection open', async () => {
    serving = await Serving.start(respond, { keepAliveTimeout: 100, headersTimeout: 100, requestTimeout: 100 });
    const client = await serving.connect();
    client.resume().write(head('GET /'));
    const timer = setInterval(() => client.write('\r\n'), 50);
    const isClosed = await isClosedWithin(serving.endOf(client), CHECKED);
    clearInterval(timer);
    expect(isClosed).toBe(true);
  });

  it('headers have a time limit', async () => {
    serving = await Serving.start(respond, { headersTimeout: 100 });
    expect(await untilClosed(serving.url, 'GET / HTTP/1.1\r\nHost:')).toMatch(
      /^HTTP\/1\.1 408 .*\r\nConnection: close\r/s,
    );
  });

  it('a whole request has a time limit', async () => {
    serving = await Serving.start(never, { requestTimeout: 100, headersTimeout: 100 });
    expect(await untilClosed(serving.url, head('POST /', 'Content-Length: 2'))).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('a connection without a request has a time limit', async () => {
    serving = await Serving.start(respond, { keepAliveTimeout: 100 });
    const client = await serving.connect();
    client.resume().write(head('GET /'));
    expect(await isClosedWithin(serving.endOf(client), CHECKED)).toBe(true);
  });

  it('a response that is not read has a time limit', async () => {
    serving = await Serving.start((_, response) => void response.end(Buffer.alloc(16 * 1_048_576)), {
      responseTimeout: 100,
    });
    const client = await serving.connect();
    client.write(head('GET /'));
    expect(await isClosedWithin(serving.endOf(client), CHECKED)).toBe(true);
  });

  it('responses that are not read are bounded in bytes', async () => {
    serving = await Serving.start((_, response) => void response.end(Buffer.alloc(16 * 1_048_576)), {
      maxUnsentBytes: 20 * 1_048_576,
    });
    const clients = await Promise.all([serving.connect(), serving.connect()]);
    for (const client of clients) {
      client.write(head('GET /'));
      await once(serving.server, 'request');
    }
    await sleep(50);
    expect(clients.map((client) => serving.endOf(client).destroyed)).toEqual([true, false]);
  });

  it('connections are bounded in number, and one whose client does not read makes room for the next', async () => {
    serving = await Serving.start((_, response) => void response.end(Buffer.alloc(16 * 1_048_576)), {
      maxConnections: 1,
    });
    const first = await serving.connect();
    first.write(head('GET /'));
    await once(serving.server, 'request');
    await sleep(1_100);
    const dropped = once(serving.server, 'drop');
    await Promise.all([dropped, fetch(serving.url).catch(() => {})]);
    expect(await isClosedWithin(serving.endOf(first), 500)).toBe(true);
  });

  it('a connection that is kept busy until the server closes does not keep it open', async () => {
    serving = await Serving.start((_, response) => void setTimeout(() => response.end(), 100));
    const client = await serving.connect();
    client.resume().write(head('GET /'));
    await once(serving.server, 'request');
    const closed = serving.adapter.close();
    expect(await Promise.race([closed.then(() => 'closed'), sleep(2_000, 'open', { ref: false })])).toBe('closed');
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
    serving = await Serving.start((_, response) => void setTimeout(() => response.end('done'), 20));
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
    // An `error` without a listener would end the process.
    expect(serving.endOf(client).listenerCount('error')).toBeGreaterThan(0);
    serving.server.closeAllConnections();
    expect(await isClosedWithin(serving.endOf(client), 500)).toBe(true);
  });

  it('a client that does not read what it requested before CONNECT is disconnected', async () => {
    const endless: RequestHandler = (_, response) => {
      const write = (): void => {
        while (response.write(PIECE));
      };
      response.on('drain', write);
      write();
    };
    serving = await Serving.start(endless, { responseTimeout: 100 });
    const client = await serving.connect();
    client.write(head('GET /') + head('CONNECT localhost:1'));
    await once(client.resume(), 'data');
    while (client.bytesRead < 8 * 1_048_576) await sleep(10);
    client.pause();
    expect(await isClosedWithin(serving.endOf(client), CHECKED)).toBe(true);
  });
});
