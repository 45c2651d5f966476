import { once } from 'node:events';
import type { Express, RequestHandler, Response } from 'express';
import { untilClosed } from 'testing';
import { head, isSoon, Serving } from './serve.js';

const { jest } = import.meta;
const respond: RequestHandler = (_, response) => void response.end('done');

describe('The HTTP server', () => {
  let serving: Serving;

  afterEach(() => {
    jest.restoreAllMocks();
    serving.stop();
  });

  it.each(['/Path', '/path/'])('takes paths as they are: %s is not /path', async (path) => {
    serving = await Serving.start((_request, _response, next) => next());
    serving.adapter.getInstance<Express>().get('/path', respond);
    expect((await fetch(`${serving.url}/path`)).status).toBe(200);
    expect((await fetch(serving.url + path)).status).toBe(404);
  });

  it('does not say what it is made of', async () => {
    serving = await Serving.start(respond);
    expect((await fetch(serving.url)).headers.get('x-powered-by')).toBeNull();
  });

  it('closes the connection behind the response to a request with Upgrade, and says so', async () => {
    serving = await Serving.start(respond);
    const { received } = await serving.send(head('GET /', 'Connection: Upgrade', 'Upgrade: websocket'));
    expect(await isSoon(() => received().endsWith('done'))).toBe(true);
    expect(received()).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r/s);
  });

  it.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 'invalid-request'],
    ['two', head('GET /', 'Host: localhost'), 'invalid-request'],
    ['an unknown Expect', head('GET /', 'Expect: more', 'Connection: close'), 'expectation-failed'],
  ])('rejects a request with %s by a problem', async (_, bytes, problem) => {
    serving = await Serving.start(respond);
    expect(await untilClosed(serving.url, bytes)).toMatch(
      new RegExp(`^HTTP/1\\.1 4.*application/problem.*${problem}`, 's'),
    );
  });

  it('reads headers that are sent twice', async () => {
    serving = await Serving.start((request, response) => void response.end(request.get('Content-Type')));
    const types = ['Content-Type: a', 'Content-Type: b', 'Connection: close'];
    expect(await untilClosed(serving.url, head('GET /', ...types))).toMatch(/a, b$/);
  });

  it('leaves 100 Continue to the handler', async () => {
    serving = await Serving.start(respond);
    const received = await untilClosed(serving.url, head('GET /', 'Expect: 100-continue', 'Connection: close'));
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('hands a request for a whole URL on as one of its path', async () => {
    serving = await Serving.start((request, response) => void response.end(request.url));
    const received = await untilClosed(serving.url, head('GET http://elsewhere/a?b', 'Connection: close'));
    expect(received).toMatch(/\r\n\r\n\/a\?b$/);
  });

  it('checks its time limits until it is closed, and keeps no process from ending by that', async () => {
    const { results: begun } = jest.spyOn(globalThis, 'setInterval').mock;
    const { calls: ended } = jest.spyOn(globalThis, 'clearInterval').mock;
    serving = await Serving.start(respond);
    expect((begun[0]!.value as NodeJS.Timeout).hasRef()).toBe(false);
    await serving.adapter.close();
    expect(begun.map(({ value }) => ended.some(([timer]) => timer === value))).toEqual(begun.map(() => true));
  });

  describe('that closes', () => {
    it('ends a connection once its response is sent, though the client would keep it', async () => {
      const responses: Response[] = [];
      serving = await Serving.start((_, response) => void responses.push(response));
      await serving.send(head('GET /'));
      expect(await isSoon(() => responses.length > 0)).toBe(true);
      let isClosed = false;
      void serving.adapter.close().then(() => (isClosed = true));
      responses[0]!.end();
      expect(await isSoon(() => isClosed)).toBe(true);
    });

    it('responds to a request that was on its way for 100 ms, and says that it is the last', async () => {
      serving = await Serving.start(respond);
      const now = performance.now();
      const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
      const [{ client, received }, { socket }] = [await serving.send(''), await serving.send('')];
      clock.mockReturnValue(now + 100);
      const closed = serving.adapter.close();
      client.write(head('GET /'));
      expect(await isSoon(() => received() !== '')).toBe(true);
      expect(received()).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r/s);
      expect(socket.destroyed).toBe(false);
      clock.mockReturnValue(now + 101);
      expect(await isSoon(() => socket.destroyed)).toBe(true);
      client.destroy();
      await closed;
    });

    it('has observed every request when it is closed', async () => {
      serving = await Serving.start(() => {});
      const observed: unknown[] = [];
      serving.adapter.observeRequests({
        completed: (_request, _response, _seconds, status) => void observed.push(status),
        rejected: () => {},
      });
      const client = await serving.connect();
      client.write(head('GET /'));
      await once(serving.server, 'request');
      expect(serving.adapter.requestsInFlight).toBe(1);
      const closed = serving.adapter.close();
      serving.server.closeAllConnections();
      await closed;
      expect(observed).toEqual(['aborted']);
    });
  });
});
