import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { aSecret, LocalPostgres, programOf, Receiver, ServiceProcess, sqlOf } from 'testing';

const [extensions, tenant] = sqlOf('deployment.md', 'Tenants');
const [empty, publication, subscription, fence, isComplete, end] = sqlOf('scaling.md', 'Move a tenant');

interface Booking {
  readonly booking_id: string;
}

describe('A tenant that is moved as docs/scaling.md has it', () => {
  const folders = [mkdtempSync(join(tmpdir(), 'move-old-')), mkdtempSync(join(tmpdir(), 'move-new-'))] as const;
  const clusters: LocalPostgres[] = [];
  const services: ServiceProcess[] = [];
  let receiver: Receiver;

  beforeAll(async () => {
    for (const folder of folders) clusters.push(await LocalPostgres.start(folder, ['-c', 'wal_level=logical']));
    receiver = await Receiver.start();
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await Promise.all([receiver.close(), ...clusters.map((cluster) => cluster.stop())]);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** Runs statements one by one, and returns the rows of the last. */
  async function run<Row>(cluster: LocalPostgres, text: string): Promise<Row[]> {
    const client = new Client({ connectionString: cluster.url('postgres') });
    await client.connect();
    try {
      let rows: Row[] = [];
      for (const statement of text.split(/;$/m).filter((part) => part.trim() !== '')) {
        rows = (await client.query(statement)).rows as Row[];
      }
      return rows;
    } finally {
      await client.end();
    }
  }

  const url = (cluster: LocalPostgres, role: string): string =>
    cluster.url('postgres').replace('postgres@', `${role}:any@`);

  async function makeTenant(cluster: LocalPostgres): Promise<void> {
    await run(cluster, extensions! + tenant!);
    const env = { DATABASE_URL: url(cluster, 'acme_owner') };
    execFileSync(process.execPath, [programOf('cli/migrate.js'), '--grant-to', 'acme'], { env });
  }

  async function serve(cluster: LocalPostgres): Promise<ServiceProcess> {
    const file = join(folders[0], 'webhooks.json');
    const endpoint = { name: 'billing', url: receiver.url, secrets: [aSecret()], from: 'first' };
    writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }));
    execFileSync(process.execPath, [programOf('cli/webhooks.js'), 'on'], {
      env: { DATABASE_URL: url(cluster, 'acme_owner') },
    });
    const env = { WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true', DATABASE_MIGRATE_AT_START: 'false' };
    const service = await ServiceProcess.start({ ...env, DATABASE_URL: url(cluster, 'acme') });
    services.push(service);
    return service;
  }

  const create = (service: ServiceProcess): Promise<Response> =>
    fetch(`${service.url}/v1/bookings`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
      body: '{}',
    });

  async function listAll(service: ServiceProcess): Promise<Booking[]> {
    const all: Booking[] = [];
    for (let path: string | undefined = '/v1/bookings?limit=100'; path !== undefined;) {
      const response = await fetch(service.url + path);
      const page = (await response.json()) as { bookings: Booking[]; next_cursor?: string | null };
      all.push(...page.bookings);
      path = page.next_cursor == null ? undefined : `/v1/bookings?limit=100&cursor=${page.next_cursor}`;
    }
    return all;
  }

  it('keeps every acknowledged booking and the numbers of its events, and makes more', async () => {
    const [old, target] = clusters as [LocalPostgres, LocalPostgres];
    await Promise.all([makeTenant(old), makeTenant(target)]);
    const before = await serve(old);
    const acknowledged: Booking[] = [];
    let refused = 0;
    const clients = Array.from({ length: 4 }, async () => {
      while (refused < 8) {
        const response = await create(before);
        if (response.status === 201) acknowledged.push((await response.json()) as Booking);
        else refused++;
      }
    });
    while (acknowledged.length < 500) await sleep(10);

    await run(target, empty!);
    await run(old, publication!);
    const host = `host=127.0.0.1 port=${old.port} dbname=postgres user=postgres`;
    const [subscribe, unfinished] = subscription!.split(/;$/m);
    await run(target, subscribe!.replace(/'host=[^']*'/, `'${host}'`));
    while ((await run(target, unfinished!)).length > 0) await sleep(50);
    const [row] = await run<{ fence: string }>(old, fence!);
    await Promise.all(clients);
    expect((await fetch(`${before.url}/v1/bookings`)).status).toBe(200);
    const complete = isComplete!.replace('0/0', row!.fence);
    while (!(await run<{ is_complete: boolean }>(old, complete))[0]!.is_complete) await sleep(20);
    await run(target, end!);

    const after = await serve(target);
    await before.stop();
    const byId = (one: Booking, other: Booking): number => (one.booking_id < other.booking_id ? -1 : 1);
    expect((await listAll(after)).toSorted(byId)).toEqual(acknowledged.toSorted(byId));
    for (let more = 0; more < 20; more++) {
      const response = await create(after);
      expect(response.status).toBe(201);
      acknowledged.push((await response.json()) as Booking);
    }
    // Some may come twice, with the same number.
    const numbers = (): Map<number, string> =>
      new Map(receiver.accepted.map(({ event }) => [Number(event.sequence), event.subject]));
    while (numbers().size < acknowledged.length) await sleep(50);
    expect([...numbers().keys()].toSorted((one, other) => one - other)).toEqual(
      acknowledged.map((_, index) => index + 1),
    );
    expect(new Set(numbers().values()).size).toBe(acknowledged.length);
    const pairs = new Set(receiver.accepted.map(({ event }) => `${event.sequence} ${event.subject}`));
    expect(pairs.size).toBe(acknowledged.length);
  });
});
