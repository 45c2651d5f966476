import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RequestHandler } from 'express';
import { until, untilClosed } from 'testing';
import { head } from 'testing/raw-http';
import type { ServerSettings } from '../../src/server/bounded-server.js';
import { Serving } from './serve.js';

const { jest } = import.meta;
const statusesOf = (received: string): string[] => received.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];

describe('A request', () => {
  let serving: Serving;
  let completed: unknown[];
  let rejected: string[];

  const start = async (handler: RequestHandler, settings?: Partial<ServerSettings>): Promise<void> => {
    serving = await Serving.start(handler, settings);
    completed = [];
    rejected = [];
    serving.adapter.observer = {
      completed: (_request, _response, _seconds, status) => void completed.push(status),
      rejected: ({ type }) => void rejected.push(type),
    };
  };

  afterEach(() => {
    jest.restoreAllMocks();
    serving.stop();
  });

  it('has one response if its body breaks after the response has begun', async () => {
    await start((request, response) => {
      response.write('part');
      request.once('error', () => {});
      serving.server.once('clientError', () => setTimeout(() => response.end(), 20));
    });
    const { client, received } = await serving.send(head('POST /', 'Transfer-Encoding: chunked'));
    await once(client, 'data');
    client.write('zz\r\n');
    await once(client, 'end');
    expect(statusesOf(received())).toEqual(['200']);
    expect([completed, rejected]).toEqual([[200], []]);
  });

  it('is not handled after a 408, even if the rest of its body arrives', async () => {
    let isRead = false;
    // Without the timer, the connection stays open after its last response.
    jest.spyOn(globalThis, 'setTimeout').mockReturnValue({ unref: () => {} } as NodeJS.Timeout);
    const read: RequestHandler = (request) => void request.resume().once('end', () => (isRead = true));
    await start(read, { requestTimeout: 1_000 });
    const { client, socket, received } = await serving.send(`${head('POST /', 'Content-Length: 2')}{`);
    await until(() => received() !== '');
    expect(statusesOf(received())).toEqual(['408']);
    const before = socket.bytesRead;
    client.write('}');
    await until(() => socket.bytesRead > before);
    await sleep(20);
    expect(isRead).toBe(false);
    socket.destroy();
    await until(() => completed.length > 0);
    expect([completed, rejected]).toEqual([[408], ['request-timeout']]);
  });

  it('is aborted, not rejected, if its client ends its side in the middle of it', async () => {
    await start(() => {});
    await untilClosed(serving.url, `${head('POST /', 'Content-Length: 10')}half`, { halfClose: true });
    await until(() => completed.length > 0);
    expect([completed, rejected]).toEqual([['aborted'], []]);
  });

  it('keeps its response if its client ends its side in the middle of the next one', async () => {
    await start((_, response) => void serving.server.once('clientError', () => setImmediate(() => response.end())));
    expect(statusesOf(await untilClosed(serving.url, `${head('GET /')}GET`, { halfClose: true }))).toEqual(['200']);
  });

  it('is reached after a body of 8 MiB that no handler reads', async () => {
    await start((_, response) => void response.end());
    const { client, received } = await serving.send(head('POST /', `Content-Length: ${2 ** 23}`));
    await once(client, 'data');
    client.write(Buffer.alloc(2 ** 23));
    client.write(head('GET /', 'Connection: close'));
    await once(client, 'end');
    expect(statusesOf(received())).toEqual(['200', '200']);
  });

  it.each([
    ['without', ''],
    ['with', '{}'],
  ])('%s a body is freed after its response, while its connection stays open', async (_, body) => {
    let request: WeakRef<object> | undefined;
    await start((...given) => {
      request = new WeakRef(given[0]);
      given[1].end();
    });
    const { client, socket } = await serving.send(head('POST /', `Content-Length: ${body.length}`));
    await once(client, 'data');
    client.write(body);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await until(() => {
      collect();
      return request?.deref() === undefined;
    });
    expect(socket.destroyed).toBe(false);
  });

  it('has no second response if the rest of its body never arrives', async () => {
    await start((_, response) => void response.end(), { requestTimeout: 1_000 });
    expect(statusesOf(await untilClosed(serving.url, head('POST /', 'Content-Length: 2')))).toEqual(['200']);
    expect([completed, rejected]).toEqual([[200], []]);
  });

  it('is not begun if its body breaks while it waits', async () => {
    const begun: string[] = [];
    await start((request, response) => {
      begun.push(request.url);
      setImmediate(() => {
        serving.server.emit('clientError', new Error('broken'), request.socket);
        response.end();
      });
    });
    const bytes = head('GET /') + head('POST /broken', 'Content-Length: 2');
    expect(statusesOf(await untilClosed(serving.url, bytes))).toEqual(['200']);
    expect([begun, completed, rejected]).toEqual([['/'], [200], []]);
  });

  it('gets the response that closes its connection, even if its client keeps sending', async () => {
    // Without the timer, the connection stays open after its last response.
    jest.spyOn(globalThis, 'setTimeout').mockReturnValue({ unref: () => {} } as NodeJS.Timeout);
    await start((_, response) => void response.end('last'));
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
          await until(() => socket.bytesRead > bytesRead);
        }
        let received = '';
        client.on('data', (data: Buffer) => (received += data.toString()));
        await until(() => client.readableEnded || client.closed);
        return received;
      }),
    );
    expect(responses.filter((received) => received.endsWith('last'))).toHaveLength(30);
    expect(completed).toHaveLength(30);
  });

  it('takes memory only if it may wait, however many are read at once', async () => {
    await start(() => {});
    let created = 0;
    serving.server.on('request', () => created++);
    const { socket } = await serving.send(head('GET /').repeat(1_500));
    await until(() => socket.bytesRead > 50_000);
    // The one in flight, and the one that waits.
    expect(created).toBe(2);
  });

  it('gets its response even if its client ends its side after it', async () => {
    await start((request, response) => {
      request.socket.once('end', () => setTimeout(() => response.end('late'), 1));
    });
    expect(await untilClosed(serving.url, head('GET /'), { halfClose: true })).toMatch(/^HTTP\/1\.1 200 .*late$/s);
  });
});
