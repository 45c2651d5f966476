import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { untilClosed } from 'testing';
import { head } from 'testing/raw-http';
import { COMMON_HEADERS, isSoon, Serving } from './serve.js';

const { jest } = import.meta;

describe('What is used of Node and Express although they do not document it', () => {
  let serving: Serving;

  afterEach(() => {
    jest.restoreAllMocks();
    serving.stop();
  });

  it('destroySoon: 30 of 30 clients that keep sending after a response that closes read it', async () => {
    // The half second until the connection is gone does not pass.
    jest.spyOn(globalThis, 'setTimeout').mockReturnValue({ unref: () => {} } as NodeJS.Timeout);
    let requests = 0;
    serving = await Serving.start((_, response) => {
      requests++;
      response.end('last');
    });
    const clients: Socket[] = [];
    while (clients.length < 30) clients.push(await serving.connect());
    const responses = await Promise.all(
      clients.map(async (client) => {
        const socket = serving.endOf(client);
        client.write(head('GET /', 'Connection: close'));
        await once(socket, 'finish');
        for (let piece = 0; piece < 4; piece++) {
          const { bytesRead } = socket;
          client.write(head('GET /'));
          await isSoon(() => socket.bytesRead > bytesRead);
        }
        let received = '';
        client.on('data', (data: Buffer) => (received += data.toString()));
        await isSoon(() => client.readableEnded || client.closed);
        return received;
      }),
    );
    expect(responses.filter((received) => received.endsWith('last'))).toHaveLength(30);
    expect(requests).toBe(30);
  });

  it('parser.onIncoming: of 1,500 requests that are read at once, Node creates the one that may wait', async () => {
    serving = await Serving.start(() => {});
    let created = 0;
    serving.server.on('request', () => created++);
    const { socket } = await serving.send(head('GET /').repeat(1_500));
    expect(await isSoon(() => socket.bytesRead > 50_000)).toBe(true);
    // The one in flight, and the one that waits.
    expect(created).toBe(2);
  });

  it('httpAllowHalfOpen: a client that ends its side after its request receives the response', async () => {
    serving = await Serving.start((request, response) => {
      request.socket.once('end', () => setTimeout(() => response.end('late'), 1));
    });
    expect(await untilClosed(serving.url, head('GET /'), { halfClose: true })).toMatch(/^HTTP\/1\.1 200 .*late$/s);
  });

  it('app.request: requests and responses are created with the prototypes that Express gives them', async () => {
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
    expect(seen).toEqual([
      [request, response],
      [request, response],
    ]);
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
