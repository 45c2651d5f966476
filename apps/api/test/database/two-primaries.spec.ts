import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { LocalPostgres } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import { until } from '../support/until.js';

const SLEEP = 'SELECT pg_sleep(60)';
const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = '${SLEEP}' AND state = 'active'`;

let parent: string;
let old: LocalPostgres;
let promoted: LocalPostgres;
const services: Database[] = [];

/** A server whose standby was promoted, and which came back as a primary. */
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'bookings-primaries-'));
  execFileSync('chmod', ['755', parent]);
  const [oldFolder, newFolder] = [join(parent, 'old'), join(parent, 'new')];
  const first = await LocalPostgres.start(oldFolder);
  await first.createDatabase('bookings');
  await query(first, 'CREATE ROLE desk LOGIN; ALTER DATABASE bookings OWNER TO desk');
  await first.stop();
  execFileSync('cp', ['-a', oldFolder, newFolder]);
  writeFileSync(join(newFolder, 'standby.signal'), '');
  promoted = await LocalPostgres.start(newFolder);
  await query(promoted, 'SELECT pg_promote()');
  old = await LocalPostgres.start(oldFolder);
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  await Promise.all([old, promoted].map((server) => server.stop('SIGQUIT')));
  rmSync(parent, { recursive: true });
});

async function query(server: LocalPostgres, text: string): Promise<number> {
  const client = new Client({ connectionString: server.url('bookings') });
  await client.connect();
  try {
    return (await client.query(text)).rowCount!;
  } finally {
    await client.end();
  }
}

async function start(): Promise<Database> {
  const url = `postgres://desk@127.0.0.1:${old.port},127.0.0.1:${promoted.port}/bookings`;
  const service = new Database(readConfig({ DATABASE_URL: url }).database!);
  services.push(service);
  await service.prepare();
  return service;
}

/** The ports of the servers that the service's connections lead to; none if it cannot write. */
async function portsOf(service: Database): Promise<number[]> {
  const statement = { text: 'SELECT inet_server_port() AS port, pg_sleep(0.01)' };
  const runs = Array.from({ length: 8 }, (_, index) =>
    index % 2 === 0 ? service.run<{ port: number }>(statement) : service.write<{ port: number }>(statement),
  );
  const results = await Promise.allSettled(runs);
  return [...new Set(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.rows[0]!.port] : [])))];
}

describe('Of two primaries', () => {
  it('the one that was promoted last is used, from the start', async () => {
    expect(await portsOf(await start())).toEqual([promoted.port]);
  });

  it('the other is not used while that one is away', async () => {
    const service = await start();
    await promoted.stop();
    expect(await portsOf(service)).toEqual([]);
    promoted = await LocalPostgres.start(join(parent, 'new'), [], { port: promoted.port });
    await until(async () => (await portsOf(service)).length > 0);
    expect(await portsOf(service)).toEqual([promoted.port]);
  });

  it('the one that was promoted last is found after a lost connection', async () => {
    await promoted.stop();
    const service = await start();
    expect(await portsOf(service)).toEqual([old.port]);
    promoted = await LocalPostgres.start(join(parent, 'new'), [], { port: promoted.port });
    // While a statement runs on it, since an idle connection reports its loss in another way.
    const isEnded = async (): Promise<boolean> => (await query(old, TERMINATE)) > 0;
    const [{ status }] = await Promise.allSettled([service.run({ text: SLEEP }), until(isEnded)]);
    expect(status).toBe('rejected');
    await until(async () => (await portsOf(service)).includes(promoted.port));
    expect(await portsOf(service)).toEqual([promoted.port]);
  });
});
