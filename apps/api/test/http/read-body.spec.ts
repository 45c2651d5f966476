import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { BodyBrokenOff, BodyTooLarge, readBody } from '../../src/http/json-body.js';
import { isSoon } from './serve.js';

/** A request of which these pieces have come. */
function requestOf(...pieces: string[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  for (const piece of pieces) request.push(Buffer.from(piece));
  return request;
}

/** What Node's parser does at the end of a body. */
function end(request: IncomingMessage): void {
  request.complete = true;
  request.push(null);
}

/** What a read is rejected with; undefined if it is not. */
async function errorOf(read: Promise<Buffer>): Promise<unknown> {
  let rejection: unknown;
  read.catch((error: unknown) => (rejection = error));
  await isSoon(() => rejection !== undefined);
  return rejection;
}

describe('readBody', () => {
  it.each([0, 1, 2, 3])('reads the pieces of a body into one, %d of which had come before', async (early) => {
    const pieces = ['{"guest":', '"Ada"', '}'];
    const request = requestOf(...pieces.slice(0, early));
    const read = readBody(request, 100);
    for (const piece of pieces.slice(early)) request.push(Buffer.from(piece));
    end(request);
    expect((await read).toString()).toBe('{"guest":"Ada"}');
  });

  it('reads a body that had come as a whole before', async () => {
    const request = requestOf('{"guest":', '"Ada"}');
    end(request);
    expect((await readBody(request, 100)).toString()).toBe('{"guest":"Ada"}');
  });

  it('reads no body', async () => {
    const request = requestOf();
    end(request);
    expect(await readBody(request, 100)).toHaveLength(0);
  });

  it('reads a body in pieces of one byte, of which it keeps at most 64 apart', async () => {
    const text = 'abcdefghij'.repeat(100);
    const request = requestOf();
    const concat = import.meta.jest.spyOn(Buffer, 'concat');
    const read = readBody(request, 1_000);
    for (const piece of text) request.push(Buffer.from(piece));
    end(request);
    expect((await read).toString()).toBe(text);
    // Kept apart they would take a hundred times the memory.
    expect(Math.max(...concat.mock.calls.map(([pieces]) => pieces.length))).toBe(64);
  });

  it('waits for the end of a body, even if all of its bytes had come', async () => {
    const request = requestOf('{}');
    let isRead = false;
    const read = readBody(request, 100).then(() => (isRead = true));
    await new Promise(setImmediate);
    expect(isRead).toBe(false);
    end(request);
    await read;
  });

  it.each([
    ['before', (request: IncomingMessage) => request.push(Buffer.from('0123456789'))],
    ['after', () => {}],
  ])('rejects a body that is too large, and reads the rest of it: piece %s the read began', async (_, come) => {
    const request = requestOf();
    come(request);
    const read = readBody(request, 9);
    request.push(Buffer.from('0123456789'));
    expect(await errorOf(read)).toBeInstanceOf(BodyTooLarge);
    expect(request.readableFlowing).toBe(true);
    // Each would be called for, or hold, what nobody reads any more.
    expect(['data', 'end', 'close'].map((event) => request.listenerCount(event))).toEqual([0, 0, 0]);
    end(request);
    await once(request, 'end');
  });

  it('rejects a body that breaks off', async () => {
    const request = requestOf('{"guest":');
    const read = readBody(request, 100);
    request.destroy();
    expect(await errorOf(read)).toBeInstanceOf(BodyBrokenOff);
  });

  it.each([false, true])('rejects where the client was gone before the read began: complete %p', async (complete) => {
    const request = Object.assign(requestOf('{"guest":"Ada"}'), { complete });
    await once(request.destroy(), 'close');
    expect(await errorOf(readBody(request, 100))).toBeInstanceOf(BodyBrokenOff);
  });
});
