import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { expressMessages } from '../../src/http/express-messages.js';
import { UnsentResponses } from '../../src/http/unsent-responses.js';

/** More than the kernel buffers of a response that is not read. */
const BODY = 'x'.repeat(16 * 2 ** 20);

describe('UnsentResponses', () => {
  let server: Server;
  let unsent: UnsentResponses;
  let sockets: Socket[];

  /** The server's ends of connections whose clients send requests and do not read, in order. */
  const requestWithoutReading = async (count: number): Promise<Socket[]> => {
    for (let index = 0; index < count; index++) {
      const received = once(server, 'request');
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      client.on('error', () => {});
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await received;
    }
    return sockets;
  };

  const start = async (timeout: number, maxBytes: number): Promise<void> => {
    unsent = new UnsentResponses(timeout, maxBytes);
    const messages = expressMessages(express(), (response) => unsent.written(response));
    server = createServer(messages, (_, response) => response.end(BODY));
    sockets = [];
    server.on('connection', (socket: Socket) => void sockets.push(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };

  afterEach(() => server.close().closeAllConnections());

  it('are bounded in bytes: beyond it, those that have waited longest are cut off', async () => {
    await start(60_000, 1.5 * BODY.length);
    const [first, second, third] = await requestWithoutReading(3);
    expect([first!.destroyed, second!.destroyed, third!.destroyed]).toEqual([true, true, false]);
  });

  it('count once, however often they were written to', async () => {
    await start(60_000, 2.4 * BODY.length);
    server.removeAllListeners('request').on('request', (_, response) => {
      for (let part = 0; part < 4; part++) response.write(BODY.slice(0, BODY.length / 4));
      response.end();
    });
    const [first, second] = await requestWithoutReading(2);
    expect([first!.destroyed, second!.destroyed]).toEqual([false, false]);
  });

  it('keep one, however large it is', async () => {
    await start(60_000, 1);
    const [only] = await requestWithoutReading(1);
    expect(only!.destroyed).toBe(false);
  });

  it('are given up without progress', async () => {
    await start(300, 1e9);
    const [socket] = await requestWithoutReading(1);
    await once(socket!, 'close');
    expect(socket!.destroyed).toBe(true);
  });

  it('make room for a connection after a second, the oldest first', async () => {
    await start(60_000, 1e9);
    const [first, second] = await requestWithoutReading(2);
    unsent.cutOffOldest();
    expect(first!.destroyed).toBe(false);
    await sleep(1_100);
    unsent.cutOffOldest();
    expect([first!.destroyed, second!.destroyed]).toEqual([true, false]);
  });
});
