import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aSecret, createTestDatabase, Receiver, respond, ServiceProcess } from 'testing';
import { until } from '../support/until.js';

/** Reports what is looked up by `getaddrinfo`, for which libuv has few threads. */
const REPORT_LOOKUPS = `--import=data:text/javascript,${encodeURIComponent(`
  import dns from 'node:dns';
  import { syncBuiltinESMExports } from 'node:module';
  const { lookup } = dns;
  dns.lookup = (...values) => {
    if (values[0] === 'localhost') process.stderr.write('getaddrinfo');
    return lookup(...values);
  };
  syncBuiltinESMExports();
`)}`;

it('An endpoint is sent 16 requests at a time and no more, of which Node does not warn, by no thread of libuv', async () => {
  const receiver = await Receiver.start();
  const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  const file = join(folder, 'webhooks.json');
  const endpoint = {
    name: 'billing',
    url: receiver.url.replace('127.0.0.1', 'localhost'),
    secrets: [aSecret()],
    from: 'first',
  };
  writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }));
  const held: ServerResponse[] = [];
  receiver.behaviour = (_received, response) => held.push(response);
  const database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
  const service = await ServiceProcess.start(env, [REPORT_LOOKUPS]);
  try {
    const create = () => fetch(`${service.url}/v1/bookings`, { method: 'POST' });
    await create();
    await until(() => held.length === 1);
    await Promise.all(Array.from({ length: 60 }, create));
    await until(async () => (await database.query('SELECT FROM bookings')).length === 61);
    held.pop()!.writeHead(204).end();
    await until(() => held.length >= 16);
    receiver.behaviour = respond(204);
    expect(held).toHaveLength(16);
    for (const response of held) response.writeHead(204).end();
    await until(() => receiver.accepted.length === 61);
    expect(service.stderr).toBe('');
  } finally {
    await service.stop();
    await database.drop();
    await receiver.close();
    rmSync(folder, { recursive: true });
  }
});
