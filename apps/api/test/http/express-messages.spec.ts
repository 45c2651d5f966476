import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expressMessages } from '../../src/http/express-messages.js';

/** What a response reports while `respond` writes it. */
async function reportsOf(respond: (response: ServerResponse) => void): Promise<number> {
  let reports = 0;
  const messages = expressMessages(express(), () => void reports++);
  const server = createServer(messages, (_, response) => respond(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
  server.close().closeAllConnections();
  return reports;
}

describe('A response is reported', () => {
  it('when it is written to its end, and not at a part that its client can take', async () => {
    const reports = await reportsOf((response) => {
      response.write('part');
      response.end();
    });
    expect(reports).toBe(1);
  });

  it('at a part that is more than its client takes at once', async () => {
    const reports = await reportsOf((response) => {
      response.write(Buffer.alloc(1_000_000));
      response.end();
    });
    expect(reports).toBe(2);
  });
});
