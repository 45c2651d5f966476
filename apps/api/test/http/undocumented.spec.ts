import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { untilClosed } from 'testing';
import { stopParsing } from '../../src/http/undocumented.js';
import { COMMON_HEADERS, flood, head, Serving } from './serve.js';

describe('What is used of Node and Express although they do not document it', () => {
  let serving: Serving;

  afterEach(() => serving?.stop());

  it('onServerClose: a client that sends on behind the last response is read, so that it keeps the response', async () => {
    serving = await Serving.start((_, response) => void response.end());
    const client = await serving.connect();
    const request = head('GET /', 'Connection: close');
    client.write(request);
    client.resume();
    await once(client, 'end');
    client.write('x'.repeat(1_000));
    await sleep(100);
    expect(serving.endOf(client).bytesRead).toBe(request.length + 1_000);
    expect(client.closed).toBe(false);
    client.destroy();
  });

  it('keepPaused: a pipeline is not read on while its requests wait, though Node resumes after a large response', async () => {
    const large = 8 * 1_048_576;
    serving = await Serving.start((_, response) => void response.write(Buffer.alloc(large)));
    const client = await serving.connect();
    client.write(head('GET /'));
    await once(serving.server, 'request');
    flood(client, head('GET /').repeat(100));
    const socket = serving.endOf(client);
    // What Node reads at once.
    while (socket.bytesRead < 65_536) await sleep(10);
    const before = socket.bytesRead;
    client.resume();
    while (client.bytesRead < large) await sleep(10);
    await sleep(100);
    expect([socket.destroyed, socket.bytesRead]).toEqual([false, before]);
    client.destroy();
  });

  it('stopParsing: of 1,500 requests that are read at once, Node creates those that may wait', async () => {
    let created = 0;
    const server = createServer({
      IncomingMessage: class extends IncomingMessage {
        constructor(socket: Socket) {
          super(socket);
          created++;
        }
      },
    });
    server.on('request', ({ socket }) => stopParsing(socket));
    await once(server.listen(0), 'listening');
    const client = connect((server.address() as AddressInfo).port);
    client.write(head('GET /').repeat(1_500));
    const [socket] = (await once(server, 'connection')) as [Socket];
    while (socket.bytesRead < 50_000) await sleep(10);
    expect(created).toBe(2);
    client.destroy();
    server.close();
  });

  it('endIdleConnectionsWith: a response that is being read when the server closes is read to its end', async () => {
    const large = 16 * 1_048_576;
    serving = await Serving.start((_, response) => void response.end(Buffer.alloc(large)));
    const client = await serving.connect();
    client.write(head('GET /'));
    await once(serving.server, 'request');
    await sleep(20);
    const closed = serving.adapter.close();
    await sleep(300);
    client.resume();
    await once(client, 'end');
    client.end();
    expect(client.bytesRead).toBeGreaterThan(large);
    await closed;
  });

  it('allowHalfOpen: a client that ends its side behind its request receives the response', async () => {
    serving = await Serving.start((request, response) => {
      request.socket.once('end', () => setTimeout(() => response.end('late'), 20));
    });
    expect(await untilClosed(serving.url, head('GET /'), { halfClose: true })).toMatch(/^HTTP\/1\.1 200 .*late$/s);
  });

  it('isBrokenOff: a request that its client does not send to its end is aborted, and not rejected', async () => {
    serving = await Serving.start(() => {});
    const observed: unknown[] = [];
    serving.adapter.observeRequests({
      completed: (_request, _response, _seconds, status) => void observed.push(status),
      rejected: () => {},
    });
    await untilClosed(serving.url, `${head('POST /', 'Content-Length: 10')}half`, { halfClose: true });
    expect(observed).toEqual(['aborted']);
  });

  it('usePrototypes: requests and responses are created with the prototypes that Express gives them', async () => {
    const seen: unknown[][] = [];
    const prototypesOf = (...messages: object[]): void => {
      seen.push(messages.map((message) => Object.getPrototypeOf(message) as unknown));
    };
    serving = await Serving.start((request, response) => {
      prototypesOf(request, response);
      response.end();
    });
    const { request, response } = serving.adapter.getInstance<Express>();
    serving.server.prependListener('request', prototypesOf);
    await fetch(serving.url);
    expect(seen[0]![0]).toBe(request);
    expect(seen[1]![0]).toBe(request);
    expect(seen[0]![1]).toBe(response);
    expect(seen[1]![1]).toBe(response);
  });

  it.each(['ends without a head', 'has headers set one by one', 'is written in parts'])(
    'writeHead: a response has the common headers where it %s',
    async (how) => {
      serving = await Serving.start((_request, response) => {
        if (how === 'has headers set one by one') response.setHeader('ETag', '"1"').end();
        else if (how === 'is written in parts') response.write('part', () => response.end());
        else response.end();
      });
      const { headers } = await fetch(serving.url, { headers: { 'X-Request-Id': 'mine' } });
      expect(Object.fromEntries(headers)).toMatchObject({ ...COMMON_HEADERS, 'x-request-id': 'mine' });
    },
  );
});
