import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { answer, JSON_TYPE } from '../../src/http/answer.js';
import { expressMessages } from '../../src/http/express-messages.js';
import { type DirectRequest, readBody } from '../../src/http/read-body.js';
import { head, untilClosed } from '../support/raw-http.js';

const LIMIT = 100_000;
const LARGE = 'x'.repeat(LIMIT);
const CLOSE = head('GET /', 'Connection: close');

/** Whether a request counts as read once its answer is gone, and the events of a stream that it has had by then. */
type Ending = { isRead: boolean; events: string[] };

describe('A request', () => {
  let server: Server;
  let url: string;
  let handle: (request: DirectRequest) => Promise<string>;
  let endings: Promise<Ending>[];

  beforeAll(async () => {
    const serve = async (request: DirectRequest, response: ServerResponse): Promise<void> => {
      endings.push(endingOf(request, response));
      answer(response, 200, JSON_TYPE, request.method === 'GET' ? 'got' : await handle(request));
    };
    server = createServer(expressMessages(express()), (request: IncomingMessage, response) => {
      void serve(request as DirectRequest, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => {
    endings = [];
  });

  afterAll(() => server.close().closeAllConnections());

  const readAll = async (request: DirectRequest): Promise<string> => String((await readBody(request, LIMIT)).length);

  it('without a body is over with its answer: Node forgets it, and no stream is begun for it', async () => {
    await untilClosed(url, CLOSE);
    expect(await Promise.all(endings)).toEqual([{ isRead: true, events: [] }]);
  });

  it.each([
    ['at once', readAll],
    ['a while after it came', async (request: DirectRequest) => (await sleep(50), readAll(request))],
  ])('with a body is over with its answer, if it is read %s', async (_, read) => {
    handle = read;
    const received = await untilClosed(url, `${post(LARGE)}${post('{}')}${CLOSE}`);
    expect(bodiesOf(received)).toEqual([String(LIMIT), '2', 'got']);
    expect((await Promise.all(endings)).map(({ isRead }) => isRead)).toEqual([true, true, true]);
  });

  it('whose body nobody reads leaves the connection to the next one, even if it comes after the answer', async () => {
    handle = async () => 'unread';
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
    socket.write(headOf(LARGE));
    expect(await once(socket, 'data')).toEqual([expect.stringContaining('unread')]);
    socket.write(`${LARGE}${CLOSE}`);
    expect(await once(socket, 'data')).toEqual([expect.stringContaining('got')]);
  });

  it.each(['', '{}', LARGE])('whose body nobody reads leaves the connection to the next one', async (body) => {
    handle = async () => 'unread';
    expect(bodiesOf(await untilClosed(url, `${post(body)}${CLOSE}`))).toEqual(['unread', 'got']);
  });
});

function post(body: string): string {
  return `${headOf(body)}${body}`;
}

function headOf(body: string): string {
  return head('POST /', `Content-Length: ${body.length}`);
}

function bodiesOf(answers: string): string[] {
  return answers.split(/HTTP\/1\.1 200 .*?\r\n\r\n/s).slice(1);
}

async function endingOf(request: DirectRequest, response: ServerResponse): Promise<Ending> {
  const events: string[] = [];
  for (const event of ['end', 'close', 'resume']) request.on(event, () => events.push(event));
  await once(response, 'close');
  await new Promise(setImmediate);
  return { isRead: request.readableEnded, events };
}
