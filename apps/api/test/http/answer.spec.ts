import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import express from 'express';
import { answer, JSON_TYPE } from '../../src/http/answer.js';
import { COMMON_HEADERS, expressMessages } from '../../src/http/express-messages.js';

const ASCII = JSON.stringify({ note: 'a page'.repeat(1_000) });
const BEYOND_ASCII = JSON.stringify({ note: 'Grüße, 予約 🙂' });

describe('answer', () => {
  let server: Server;
  let url: string;
  let answerNext: (response: ServerResponse) => void;
  let writes: unknown[];

  beforeAll(async () => {
    server = createServer(expressMessages(express()), (_, response) => answerNext(response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (socket: Socket) => {
      const { _handle: handle } = socket as unknown as { _handle: Record<string, (...given: unknown[]) => unknown> };
      for (const name of ['writev', 'writeLatin1String', 'writeUtf8String', 'writeBuffer']) {
        const write = handle[name]!.bind(handle);
        handle[name] = (...given) => {
          writes.push(name);
          return write(...given);
        };
      }
    });
  });

  beforeEach(() => {
    writes = [];
  });

  afterAll(() => server.close().closeAllConnections());

  it('sends head and body of ASCII in one piece, as one string', async () => {
    answerNext = (response) => answer(response, 200, JSON_TYPE, ASCII, ['ETag', '"1"']);
    const response = await fetch(url);
    expect(await response.text()).toBe(ASCII);
    expect(writes).toEqual(['writeLatin1String']);
    expect(response.headers.get('content-length')).toBe(String(ASCII.length));
    expect(response.headers.get('etag')).toBe('"1"');
  });

  it('sends a body beyond ASCII in UTF-8, with the length of its bytes', async () => {
    answerNext = (response) => answer(response, 201, JSON_TYPE, BEYOND_ASCII);
    const response = await fetch(url);
    expect(await response.text()).toBe(BEYOND_ASCII);
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(BEYOND_ASCII)));
  });

  it('answers HEAD with the length and no body', async () => {
    answerNext = (response) => answer(response, 200, JSON_TYPE, ASCII);
    const response = await fetch(url, { method: 'HEAD' });
    expect(await response.text()).toBe('');
    expect(response.headers.get('content-length')).toBe(String(ASCII.length));
    expect(await (await fetch(url)).text()).toBe(ASCII);
  });

  it('gives the body to an `end` that middleware has put into the response', async () => {
    let given: unknown;
    answerNext = (response) => {
      const end = response.end.bind(response) as (body: unknown) => ServerResponse;
      response.end = ((body: unknown) => {
        given = body;
        return end(body);
      }) as typeof response.end;
      answer(response, 200, JSON_TYPE, ASCII);
    };
    expect(await (await fetch(url)).text()).toBe(ASCII);
    expect(given).toBe(ASCII);
  });

  it.each([
    ['as they are', () => {}],
    ['beside one that was set before', (response: ServerResponse) => response.setHeader('RateLimit', '"caller";r=1')],
  ])('adds the headers of all answers, once, %s', async (_, prepare) => {
    answerNext = (response) => {
      prepare(response);
      answer(response, 200, JSON_TYPE, ASCII);
    };
    const { headers } = await fetch(url, { headers: { 'X-Request-Id': 'mine' } });
    for (let index = 0; index < COMMON_HEADERS.length; index += 2) {
      expect(headers.get(COMMON_HEADERS[index]!)).toBe(COMMON_HEADERS[index + 1]);
    }
    expect(headers.get('x-request-id')).toBe('mine');
    expect(headers.get('content-type')).toBe(JSON_TYPE);
  });
});
