import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { untilClosed } from 'testing';
import { stopParsing } from '../../src/http/undocumented.js';
import { COMMON_HEADERS, flood, head, isSoon, Serving } from './serve.js';

const { jest } = import.meta;

describe('What is used of Node and Express although they do not document it', () => {
  let serving: Serving;

  afterEach(() => {
    jest.restoreAllMocks();
    serving?.stop();
  });

  it('onServerClose: a client that sends on behind the last response is read, so that it keeps the response', async () => {
    // The half second until the connection is gone does not pass.
    jest.spyOn(globalThis, 'setTimeout').mockReturnValue({ unref: () => {} } as NodeJS.Timeout);
    let requests = 0;
    serving = await Serving.start((_, response) => {
      requests++;
      response.end();
    });
    const last = head('GET /', 'Connection: close');
    const { client, socket } = await serving.send(last);
    await once(client, 'end');
    const more = `${head('GET /')}\0${'x'.repeat(1_000)}`;
    client.write(more);
    expect(await isSoon(() => socket.bytesRead === last.length + more.length)).toBe(true);
    expect([requests, client.closed]).toEqual([1, false]);
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
    expect(await isSoon(() => socket.bytesRead >= 65_536)).toBe(true);
    const before = socket.bytesRead;
    client.resume();
    expect(await isSoon(() => client.bytesRead > large)).toBe(true);
    await sleep(100);
    expect([socket.destroyed, socket.bytesRead]).toEqual([false, before]);
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
    const isRead = await isSoon(() => socket.bytesRead > 50_000);
    client.destroy();
    server.close();
    expect([isRead, created]).toEqual([true, 2]);
  });

  it('endIdleConnectionsWith: a response that is being read when the server closes is read to its end', async () => {
    const large = 16 * 1_048_576;
    serving = await Serving.start((_, response) => void response.end(Buffer.alloc(large)));
    const client = await serving.connect();
    client.write(head('GET /'));
    await once(serving.server, 'request');
    const closed = serving.adapter.close();
    client.resume();
    await once(client, 'end');
    client.end();
    expect(client.bytesRead).toBeGreaterThan(large);
    await closed;
  });

  it('allowHalfOpen: a client that ends its side behind its request receives the response', async () => {
    serving = await Serving.start((request, response) => {
      request.socket.once('end', () => setTimeout(() => response.end('late'), 1));
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
      response.status(204).end();
    });
    const { request, response } = serving.adapter.getInstance<Express>();
    serving.server.prependListener('request', prototypesOf);
    expect((await fetch(serving.url)).status).toBe(204);
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
