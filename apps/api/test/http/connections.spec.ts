import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { untilClosed } from 'testing';
import { Connections, type RequestHandling } from '../../src/http/connections.js';
import { Problem } from '../../src/http/problem.js';

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
      rejected: () => {},
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
    const held: ServerResponse[] = [];
    let begun = 0;
    begin(({ url: path }, response) => {
      begun++;
      if (path === '/first') held.push(response);
      else response.end();
    });
    const clients = Array.from({ length: 10 }, () =>
      untilClosed(url, GET('/first') + GET('/second', 'Connection: close')),
    );
    while (held.length < clients.length) await sleep(1);
    for (const response of held) response.end();
    const perTurn: number[] = [];
    while (perTurn.length < 100) {
      const before = begun;
      await new Promise(setImmediate);
      perTurn.push(begun - before);
    }
    await Promise.all(clients);
    expect(begun).toBe(20);
    expect(Math.max(...perTurn)).toBe(1);
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
    expect(await untilClosed(url, GET('/'))).toMatch(/^HTTP\/1\.1 417 .*expectation-failed/s);
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
    await connections.idle();
    expect(observed).toEqual([['/gone', 'aborted']]);
  });
});
