import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { BodyBrokenOff, BodyTooLarge, readBody } from '../../src/http/read-body.js';

function requestOf(...pieces: string[]): IncomingMessage {
  const stream = new PassThrough();
  for (const piece of pieces) stream.write(piece);
  return stream as unknown as IncomingMessage;
}

describe('readBody', () => {
  it('reads the pieces of a body into one', async () => {
    const request = requestOf('{"guest":', '"Ada"', '}');
    (request as unknown as PassThrough).end();
    expect((await readBody(request, 100)).toString()).toBe('{"guest":"Ada"}');
  });

  it('is done with a request at the end of its body: no error is made when it closes', async () => {
    const request = requestOf('{}');
    const before = request.listenerCount('close');
    const read = readBody(request, 100);
    const atTheEnd = new Promise((resolve) => {
      request.on('end', () => resolve(request.listenerCount('close')));
    });
    (request as unknown as PassThrough).end();
    await read;
    expect(await atTheEnd).toBe(before);
  });

  it('refuses a body that is too large, and reads the rest of it', async () => {
    const request = requestOf('0123456789');
    await expect(readBody(request, 9)).rejects.toThrow(BodyTooLarge);
    expect(request.readableFlowing).toBe(true);
  });

  it('tells a body that breaks off', async () => {
    const request = requestOf('{"guest":');
    const read = readBody(request, 100);
    request.destroy();
    await expect(read).rejects.toThrow(BodyBrokenOff);
  });

  it.each([false, true])(
    'tells that the client was gone before its body was asked for: complete %p',
    async (complete) => {
      const request = Object.assign(requestOf('{"guest":"Ada"}'), { complete });
      await once(request.destroy(), 'close');
      await expect(readBody(request, 100)).rejects.toThrow(BodyBrokenOff);
    },
  );
});
