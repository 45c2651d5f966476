import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { untilClosed } from 'testing';
import { flood, head, isSoon, Serving } from './serve.js';

const { jest } = import.meta;
const MIB = 1_048_576;
const LAST = head('GET /', 'Connection: close');

describe('Requests of one connection', () => {
  let serving: Serving;

  afterEach(() => {
    jest.restoreAllMocks();
    serving.stop();
  });

  const statusesOf = (received: string): string[] => received.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];

  const allOf = async (client: Socket): Promise<string> => {
    let received = '';
    client.on('data', (bytes: Buffer) => (received += bytes.toString()));
    await once(client, 'end');
    client.destroy();
    return received;
  };

  it.each([
    ['one of them waits', head('GET /').repeat(2)],
    ['one is in flight, behind what is not HTTP', `${head('GET /')}\0`],
    ['one of them waits, behind what is not HTTP', `${head('GET /').repeat(2)}\0`],
  ])('are not read on while %s', async (_, bytes) => {
    serving = await Serving.start(() => {});
    const client = await serving.connect();
    client.write(bytes);
    const socket = serving.endOf(client);
    expect(await isSoon(() => socket.bytesRead === bytes.length)).toBe(true);
    await sleep(20);
    flood(client, head('GET /').repeat(100));
    await sleep(100);
    expect([socket.destroyed, socket.bytesRead]).toEqual([false, bytes.length]);
    client.destroy();
  });

  it('are reached behind a body of some MiB that nobody reads', async () => {
    serving = await Serving.start((_, response) => void response.end());
    const client = await serving.connect();
    const received = allOf(client);
    client.write(head('POST /', `Content-Length: ${8 * MIB}`));
    await once(client, 'data');
    client.write(Buffer.alloc(8 * MIB));
    client.write(LAST);
    expect(statusesOf(await received)).toEqual(['200', '200']);
  });

  it('are rejected for their broken body in their turn, and not begun', async () => {
    const begun: string[] = [];
    serving = await Serving.start((request, response) => {
      begun.push(request.url);
      setTimeout(() => response.end(), 20);
    });
    const broken = `${head('POST /broken', 'Transfer-Encoding: chunked')}zz\r\n`;
    const received = await untilClosed(serving.url, head('GET /first') + broken);
    expect(statusesOf(received)).toEqual(['200', '400']);
    expect(received).toContain('"instance":"/broken"');
    expect(begun).toEqual(['/first']);
  });

  it('have one response, if their body breaks after it has begun', async () => {
    serving = await Serving.start((request, response) => {
      response.write('part');
      request.once('error', () => {});
      serving.server.once('clientError', () => setTimeout(() => response.end(), 20));
    });
    const client = await serving.connect();
    const received = allOf(client);
    client.write(head('POST /', 'Transfer-Encoding: chunked'));
    await once(client, 'data');
    client.write('zz\r\n');
    expect(statusesOf(await received)).toEqual(['200']);
  });

  it('are not handled further once they were rejected as too slow, though the rest of their body comes', async () => {
    let isRead = false;
    // The half second until the connection is gone does not pass.
    jest.spyOn(globalThis, 'setTimeout').mockReturnValue({ unref: () => {} } as NodeJS.Timeout);
    const read: RequestHandler = (request) => void request.resume().once('end', () => (isRead = true));
    serving = await Serving.start(read, { requestTimeout: 100, headersTimeout: 100 });
    const client = await serving.connect();
    client.write(`${head('POST /', 'Content-Length: 2')}{`);
    const [rejection] = (await once(client, 'data')) as [Buffer];
    expect(rejection.toString()).toMatch(/^HTTP\/1\.1 408 /);
    const socket = serving.endOf(client);
    const before = socket.bytesRead;
    client.write('}');
    expect(await isSoon(() => socket.bytesRead > before)).toBe(true);
    await sleep(20);
    expect(isRead).toBe(false);
    client.destroy();
  });
});
