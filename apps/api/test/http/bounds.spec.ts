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

  it('a body that goes on without end behind its response ends its connection', async () => {
    serving = await Serving.start(respond);
    const client = await serving.connect();
    client.resume().write(head('POST /', 'Content-Length: 999999999999'));
    await once(client, 'data');
    flood(client, PIECE);
    expect(await isClosedWithin(serving.endOf(client), 2_000)).toBe(true);
  });

  it('no more than 4,096 requests wait behind others, over all connections', async () => {
    serving = await Serving.start(never);
    const clients = await Promise.all(Array.from({ length: 4 }, () => serving.connect()));
    const pipeline = head('GET /').repeat(1_500);
    for (const client of clients) client.write(pipeline);
    const isClosed = await Promise.all(clients.map((client) => isClosedWithin(serving.endOf(client), 500)));
    expect(isClosed.filter((closed) => closed)).toHaveLength(2);
  });

  it('places in that queue are given back when a connection is gone', async () => {
    serving = await Serving.start(never);
    for (let round = 0; round < 4; round++) {
      const client = await serving.connect();
      client.write(head('GET /').repeat(2_000));
      const socket = serving.endOf(client);
      expect(await isClosedWithin(socket, 50)).toBe(false);
      await once(socket.destroy(), 'close');
    }
  });

  it('headers have a time limit', async () => {
    serving = await Serving.start(respond, { headersTimeout: 100 });
    expect(await untilClosed(serving.url, 'GET / HTTP/1.1\r\nHost:')).toMatch(/^HTTP\/1\.1 408 /);
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
    expect(await Promise.race([closed.then(() => 'closed'), sleep(2_000, 'open')])).toBe('closed');
  });

  it('all headers of a request are read, however many there are', async () => {
    serving = await Serving.start((request, response) => void response.end(request.get('X-Last')));
    const request = head('GET /', ...Array.from({ length: 2_100 }, () => 'a:'), 'X-Last: seen', 'Connection: close');
    expect(await untilClosed(serving.url, request)).toMatch(/seen$/);
  });
});
