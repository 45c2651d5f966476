import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { checks } from '../src/checks/index.js';
import { failuresOf } from './judged.js';
import { LocalServer } from './local-server.js';

/** A service that responds to everything alike, also what is not HTTP. */
function alwaysResponding(status: number, body: string): LocalServer {
  const response = (_request: IncomingMessage, response: ServerResponse): void => {
    // So that no check waits for the end of an idle connection.
    const headers = { 'Content-Type': 'application/json', Link: '</>; rel="next"', Connection: 'close' };
    response.writeHead(status, headers).end(body);
  };
  const server = createServer({ maxHeaderSize: 100_000 }, response);
  server.on('checkExpectation', response);
  server.on('clientError', (_error, socket) => socket.end(`HTTP/1.1 ${status} Alike\r\n\r\n`));
  return new LocalServer(server);
}

describe('The checks', () => {
  it('have ids of their own', () => {
    const ids = checks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('stand under headings of docs/interface.md, in its order', () => {
    const document = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');
    const headings = [...document.matchAll(/^###? (.+)$/gm)].map(([, heading]) => heading!);
    const sections = [...new Set(checks.map(({ section }) => section))];
    expect(sections).toEqual(['The specification', ...headings.filter((heading) => sections.includes(heading))]);
  });

  it('can all fail: each does for a service that responds to everything alike', async () => {
    const failed = new Set([
      ...(await failuresOf(alwaysResponding(200, '{"booking_id":"one","bookings":[],"next_cursor":null}'))),
      ...(await failuresOf(alwaysResponding(404, '{}'))),
    ]);
    // Those of events are tried in events.spec.ts, where one service fails them all.
    const tried = checks.filter(({ level, slow }) => level !== 'events' && slow !== true);
    const others = tried.filter(({ id }) => !failed.has(id)).map(({ id }) => id);
    expect(others).toEqual([]);
  });
});
