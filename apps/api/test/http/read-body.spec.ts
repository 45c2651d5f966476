import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { BodyBrokenOff, BodyTooLarge, readBody } from '../../src/http/read-body.js';
import { untilClosed } from '../support/raw-http.js';

function requestOf(...pieces: string[]): IncomingMessage {
  const stream = new PassThrough();
  for (const piece of pieces) stream.write(piece);
  return stream as unknown as IncomingMessage;
}

describe('readBody', () => {
  it('reads the pieces of a body into one', async () => {
    const request = requestOf('{"guest":', '"Ada"', '}');
    (request as unknown as PassThrough).end();
    expect((await readBody(request, Number.NaN, 100)).toString()).toBe('{"guest":"Ada"}');
  });

  it('is done with a request at the end of its body: no error is made when it closes', async () => {
    const request = requestOf('{}');
    const before = request.listenerCount('close');
    const read = readBody(request, Number.NaN, 100);
    (request as unknown as PassThrough).end();
    await read;
    expect(request.listenerCount('close')).toBe(before);
  });

  it('refuses a body that is too large, and reads the rest of it', async () => {
    const request = requestOf('0123456789');
    await expect(readBody(request, Number.NaN, 9)).rejects.toThrow(BodyTooLarge);
    expect(request.readableFlowing).toBe(true);
  });

  it('tells a body that breaks off', async () => {
    const request = requestOf('{"guest":');
    const read = readBody(request, Number.NaN, 100);
    request.destroy();
    await expect(read).rejects.toThrow(BodyBrokenOff);
  });

  it.each([false, true])(
    'tells that the client was gone before its body was asked for: complete %p',
    async (complete) => {
      const request = Object.assign(requestOf('{"guest":"Ada"}'), { complete });
      await once(request.destroy(), 'close');
      await expect(readBody(request, Number.NaN, 100)).rejects.toThrow(BodyBrokenOff);
    },
  );
});

describe('readBody, of a body that came with its head', () => {
  it('takes no listeners on a real connection, and goes on to the next request', async () => {
    const listeners: number[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const read = readBody(request, Number(request.headers['content-length']), 100);
      await Promise.resolve();
      listeners.push(request.listenerCount('data') + request.listenerCount('close'));
      response.end(await read);
    };
    const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const requestWith = (body: string, more = '') =>
        `POST / HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
      const received = await untilClosed(url, requestWith('{"a":1}') + requestWith('{"b":2}', 'Connection: close\r\n'));
      expect(received).toMatch(/\r\n\r\n\{"a":1\}HTTP.*\r\n\r\n\{"b":2\}$/s);
      expect(listeners).toEqual([0, 0]);
    } finally {
      server.close();
    }
  });

  it('ends the request', async () => {
    const request = requestOf('{"guest":', '"Ada"', '}');
    const atTheEnd = once(request, 'end');
    expect((await readBody(request, 15, 100)).toString()).toBe('{"guest":"Ada"}');
    (request as unknown as PassThrough).end();
    await atTheEnd;
  });
});
