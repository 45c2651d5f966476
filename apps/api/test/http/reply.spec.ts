import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expressMessages } from '../../src/http/express-messages.js';
import { conditionalReply, pagePolicy, Reply, send } from '../../src/http/reply.js';
import { COMMON_HEADERS } from './serve.js';

const ASCII = JSON.stringify({ note: 'a page'.repeat(1_000) });
const BEYOND_ASCII = JSON.stringify({ note: 'Grüße, 予約 🙂' });

describe('send', () => {
  let server: Server;
  let url: string;
  let respond: (response: ServerResponse) => void;

  beforeAll(async () => {
    server = createServer(expressMessages(express()), (_, response) => {
      try {
        respond(response);
      } catch {
        response.destroy();
      }
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => server.close().closeAllConnections());

  it.each([
    ['ASCII', ASCII],
    ['what is beyond ASCII', BEYOND_ASCII],
  ])('sends %s in UTF-8, with the length of its bytes and further headers', async (_, body) => {
    respond = (response) => send(response, new Reply(201, 'application/json', body, ['ETag', '"1"']));
    const response = await fetch(url);
    expect(response.status).toBe(201);
    expect(await response.text()).toBe(body);
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
    expect(response.headers.get('etag')).toBe('"1"');
  });

  it('counts what waits to be read in bytes, in any script', async () => {
    let waiting = 0;
    respond = (response) => {
      send(response, new Reply(200, 'application/json', '予'.repeat(4_000_000)));
      waiting = response.writableLength;
    };
    await fetch(url);
    expect(waiting).toBeGreaterThan(11_000_000);
  });

  it('sends the length and no content to HEAD', async () => {
    respond = (response) => send(response, new Reply(200, 'application/json', ASCII));
    const response = await fetch(url, { method: 'HEAD' });
    expect(await response.text()).toBe('');
    expect(response.headers.get('content-length')).toBe(String(ASCII.length));
    expect(await (await fetch(url)).text()).toBe(ASCII);
  });

  it.each([204, 304])('sends neither content nor its type with %d', async (status) => {
    respond = (response) => send(response, new Reply(status, undefined, ''));
    const { headers } = await fetch(url);
    expect(headers.get('content-type')).toBeNull();
    expect(headers.get('content-length')).toBeNull();
  });

  it.each([
    ['as they are', () => {}],
    ['beside one that was set before', (response: ServerResponse) => response.setHeader('RateLimit', '"caller";r=1')],
  ])('adds the headers of all responses, once, %s', async (_, prepare) => {
    respond = (response) => {
      prepare(response);
      send(response, new Reply(200, 'application/json', ASCII));
    };
    const { headers } = await fetch(url, { headers: { 'X-Request-Id': 'mine' } });
    expect(Object.fromEntries(headers)).toMatchObject({
      ...COMMON_HEADERS,
      'content-type': 'application/json',
      'x-request-id': 'mine',
    });
  });

  it.each([
    ['ends', (response: ServerResponse) => void response.end()],
    ['sends a reply', (response: ServerResponse) => send(response, new Reply(200, 'application/json', '{}'))],
  ])('leaves a header as its handler set it, that then %s', async (_, end) => {
    respond = (response) => end(response.setHeader('Cache-Control', 'max-age=60'));
    expect((await fetch(url)).headers.get('cache-control')).toBe('max-age=60');
  });

  it('rejects a header that would begin another one', () => {
    const reply = new Reply(200, 'application/json', '{}', ['Location', '/\r\nSet-Cookie: a=b']);
    respond = (response) => {
      expect(() => send(response, reply)).toThrow('Invalid character in header');
      response.removeHeader('Location');
      response.writeHead(500).end();
    };
    return expect(fetch(url)).resolves.toMatchObject({ status: 500 });
  });
});

describe('conditionalReply', () => {
  const replyTo = (ifNoneMatch?: string): Reply =>
    conditionalReply('text/plain', 'body', '"1"', ifNoneMatch, ['A', 'b']);

  it.each([undefined, '', '"2"', '1', '"1'])('is the representation for a caller that has %p', (ifNoneMatch) => {
    expect(replyTo(ifNoneMatch)).toEqual(new Reply(200, 'text/plain', 'body', ['ETag', '"1"', 'A', 'b']));
  });

  it.each(['"1"', 'W/"1"', '"2", "1"', '*'])('is 304 for a caller that has %s', (ifNoneMatch) => {
    expect(replyTo(ifNoneMatch)).toEqual(new Reply(304, undefined, '', ['ETag', '"1"']));
  });
});

describe('pagePolicy', () => {
  it('lets a page load what is of this service, and nothing else', () => {
    expect(pagePolicy(["'unsafe-inline'"], ["font-src 'self'"]).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "font-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });
});
