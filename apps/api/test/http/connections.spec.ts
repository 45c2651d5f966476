import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { untilClosed } from 'testing';
import { Connections, type RequestHandling } from '../../src/http/connections.js';
import { Problem } from '../../src/http/problem.js';
import { isSoon } from './serve.js';

const { jest } = import.meta;

const GET = (path: string, ...headers: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

describe('Connections', () => {
  let server: Server;
  let url: string;
  let handling: RequestHandling;
  let observed: (string | number | undefined)[][];
  let connections: Connections;
  let logged: jest.SpiedFunction<Logger['error']>;

  beforeAll(async () => {
    connections = new Connections({
      begin: (request, response, isLast) => handling.begin(request, response, isLast),
      rejected: (problem, requestId, response) => handling.rejected(problem, requestId, response),
      completed: (request, response, status, seconds) => handling.completed(request, response, status, seconds),
    });
    server = createServer(connections.accept);
    server.on('connection', connections.open).on('clientError', connections.onClientError);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => {
    observed = [];
    logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    handling = {
      begin: (_, response) => void response.end(),
      completed: ({ url: path }, _, status) => void observed.push([path, status]),
      rejected: () => {},
    };
  });

  afterEach(() => logged.mockRestore());
  afterAll(() => server.close().closeAllConnections());

  const begin = (work: (request: IncomingMessage, response: ServerResponse) => void): void => {
    handling = { ...handling, begin: work };
  };

  it('begin a request of a pipeline when the one before has its response', async () => {
    const order: string[] = [];
    begin((request, response) => {
      order.push(`begin ${request.url}`);
      setTimeout(() => {
        order.push(`end ${request.url}`);
        response.end();
      }, 10);
    });
    await untilClosed(url, GET('/1') + GET('/2') + GET('/3', 'Connection: close'));
    expect(order).toEqual(['begin /1', 'end /1', 'begin /2', 'end /2', 'begin /3', 'end /3']);
    expect(observed).toEqual([
      ['/1', 200],
      ['/2', 200],
      ['/3', 200],
    ]);
  });

  it('begin at most one request that waited in a turn of the event loop, whatever its connection', async () => {
    const begun: number[] = [];
    for (const index of [1, 2, 3]) connections.schedule(() => void begun.push(index));
    expect(begun).toEqual([]);
    for (const expected of [[1], [1, 2], [1, 2, 3]]) {
      await new Promise(setImmediate);
      expect(begun).toEqual(expected);
    }
  });

  it('respond with `internal` to an error that a handler throws, log it, and serve the next connection', async () => {
    const error = new TypeError('Invalid URL');
    begin(() => {
      throw error;
    });
    const received = await untilClosed(url, GET('/'));
    expect(received).toMatch(/^HTTP\/1\.1 500 /);
    expect(received).not.toContain('Invalid URL');
    expect(observed).toEqual([['/', 500]]);
    expect(logged).toHaveBeenCalledWith(error);
    begin((_, response) => void response.end());
    expect(await untilClosed(url, GET('/', 'Connection: close'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('respond with a problem that a handler throws, and do not log it', async () => {
    begin(() => {
      throw new Problem('expectation-failed');
    });
    handling.rejected = ({ type }, _, response) => void observed.push([response?.req.url, type]);
    expect(await untilClosed(url, GET('/'))).toMatch(/^HTTP\/1\.1 417 .*expectation-failed/s);
    expect(observed).toEqual([
      ['/', 'expectation-failed'],
      ['/', 417],
    ]);
    expect(logged).not.toHaveBeenCalled();
  });

  it('reject HEAD without content', async () => {
    begin(() => {
      throw new Problem('expectation-failed');
    });
    expect(await untilClosed(url, GET('/').replace('GET', 'HEAD'))).toMatch(/^HTTP\/1\.1 417 .*\r\n\r\n$/s);
  });

  it('write no second response where a handler throws behind its head', async () => {
    begin((_, response) => {
      response.writeHead(200).write('part');
      throw new Error();
    });
    expect((await untilClosed(url, GET('/'))).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('outlive an observer that throws', async () => {
    const error = new TypeError('Invalid URL');
    handling.completed = () => {
      throw error;
    };
    expect(await untilClosed(url, GET('/', 'Connection: close'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await untilClosed(url, GET('/', 'Connection: close'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(logged).toHaveBeenCalledWith(error);
  });

  it('are idle once the client of a request that never gets a response is gone', async () => {
    begin((_, response) => setTimeout(() => response.destroy(), 20));
    await untilClosed(url, GET('/gone') + GET('/never')).catch(() => {});
    let isIdle = false;
    void connections.idle().then(() => (isIdle = true));
    expect(await isSoon(() => isIdle)).toBe(true);
    expect(observed).toEqual([['/gone', 'aborted']]);
  });

  it('forget one that is closed', () => {
    const socket = new Socket();
    const others = new Connections(handling);
    others.open(socket);
    socket.emit('close');
    const destroy = jest.spyOn(socket, 'destroy');
    others.destroy();
    expect(destroy).not.toHaveBeenCalled();
  });
});
