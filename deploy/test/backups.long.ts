import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf, LocalPostgres, MAJORS, PgBouncer, ServiceProcess, sqlOf, temporaryFolder } from 'testing';
import { psql, run, workspace } from './run-program.js';

const BOOKING = { slot: { resource_id: 'room', start: '2027-01-01T10:00:00Z', end: '2027-01-01T11:00:00Z' } };
const DESK = { BOOKINGS_DESK_PASSWORD: 'secret-3' };
const CREATE_ROLES = 'psql --file deploy/create-roles.sql postgres';
const BACK_UP = 'pg_dump --format=custom --file=bookings.dump bookings';
const RESTORE = commandsOf('runbook.md', 'Restore a backup');
const SERVING = ['bookings', 'bookings_2'];
const [REPLACE_ROLE, DROP_ROLE] = sqlOf('runbook.md', 'Rotate keys');

/** Turns the tables into those of an earlier preview. */
const AS_EARLIER = `
  ALTER TABLE bookings DROP slot_reach;
  ALTER TABLE webhook_endpoints ADD replayed_to uuid, ADD replay_from timestamptz NOT NULL;
  ALTER TABLE webhook_deliveries DROP type;
  UPDATE schema_migrations SET checksum = 'of an earlier preview'`;

/** A checkout in which the commands of the docs run, and leave their dump. */
const checkout = temporaryFolder();
for (const name of ['apps', 'deploy']) symlinkSync(join(workspace, name), join(checkout, name));

const IS_WITHOUT_PGBOUNCER = process.env['TORTURE_WITHOUT_PGBOUNCER'] === 'true';
const clusters: Cluster[] = [];
afterEach(() => Promise.all(clusters.splice(0).map((cluster) => cluster.stop())));

/** PostgreSQL behind a pooler, in the version of `pg_dump`, which cannot read a newer one. */
class Cluster {
  private constructor(
    private readonly postgres: LocalPostgres,
    private readonly pooler: PgBouncer | undefined,
  ) {}

  static async start(major = majorOfDump()): Promise<Cluster> {
    const postgres = await LocalPostgres.start(undefined, [], { major });
    const pooler = IS_WITHOUT_PGBOUNCER ? undefined : await PgBouncer.start(postgres.url('postgres'), SERVING);
    const cluster = new Cluster(postgres, pooler);
    clusters.push(cluster);
    psql('-c', 'CREATE ROLE administrator LOGIN CREATEROLE CREATEDB', postgres.url('postgres'));
    cluster.run(CREATE_ROLES, { BOOKINGS_PASSWORD: 'secret-2' });
    cluster.migrateFor('bookings');
    return cluster;
  }

  /** Runs commands, by default as the administrator of a managed database, who is no superuser. */
  run(commands: string, variables: Record<string, string> = {}, user = 'administrator'): void {
    const server = { PGHOST: 'localhost', PGPORT: String(this.postgres.port), PGUSER: user };
    const env = { ...server, BOOKINGS_OWNER_PASSWORD: 'secret-1', ...variables };
    run('sh', 'dash', ['-ec', commands], { cwd: checkout, env });
  }

  query(sql: string, role = 'administrator'): string {
    return psql('-Atc', sql, this.url(role));
  }

  migrateFor(role: string): void {
    const env = { DATABASE_URL: this.url('bookings_owner') };
    run(process.execPath, 'nodejs', ['apps/api/dist/cli/migrate.js', '--grant-to', role], { env });
  }

  /** Rotates the service's password as the runbook says. */
  rotate(): void {
    this.query(REPLACE_ROLE!);
    this.migrateFor('bookings_2');
    this.query(DROP_ROLE!);
  }

  /** Creates a booking, always with the same key, at a service that reaches PostgreSQL through the pooler. */
  async book(role: string): Promise<{ status: number; id: string | undefined }> {
    const url = this.pooler?.through(this.url(role)) ?? this.url(role);
    const env = { DATABASE_URL: url, DATABASE_MIGRATE_AT_START: 'false' };
    const service = await ServiceProcess.start(env);
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'a-key' };
    const request = { method: 'POST', headers, body: JSON.stringify(BOOKING) };
    const response = await fetch(`${service.url}/v1/bookings`, request);
    const { booking_id: id } = (await response.json()) as { booking_id?: string };
    await service.stop();
    return { status: response.status, id };
  }

  async stop(): Promise<void> {
    await this.pooler?.stop();
    await this.postgres.stop();
  }

  private url(role: string): string {
    return this.postgres.url('bookings').replace('postgres@', `${role}@`);
  }
}

function majorOfDump(): (typeof MAJORS)[number] {
  const [own] = /\d+/.exec(run('pg_dump', 'postgresql-client', ['--version']))!;
  return MAJORS.find((candidate) => candidate === own) ?? MAJORS.at(-1)!;
}

it.each(['15', '18'] as const)(
  'On PostgreSQL %s, the password is rotated, and databases are swapped',
  async (major) => {
    const cluster = await Cluster.start(major);
    const booked = await cluster.book('bookings');
    cluster.rotate();
    expect(await cluster.book('bookings_2')).toEqual(booked);
    cluster.run('createdb --owner=bookings_owner bookings_restored');
    cluster.run(RESTORE[1]!);
    expect(cluster.query(`SELECT to_regclass('bookings') IS NULL`)).toBe('t\n');
  },
);

it('A backup from after a rotation, with a cancel desk, is restored into a fresh cluster behind a pooler', async () => {
  const lost = await Cluster.start();
  lost.rotate();
  lost.run(CREATE_ROLES, DESK);
  const booked = await lost.book('bookings_2');
  lost.run(BACK_UP);

  const fresh = await Cluster.start();
  await fresh.book('bookings');
  for (const commands of RESTORE) fresh.run(commands, DESK);
  expect(await fresh.book('bookings')).toEqual(booked);
  expect(booked.status).toBe(201);
  expect(fresh.query('DELETE FROM bookings', 'bookings_desk')).toBe('DELETE 1\n');
  fresh.rotate();
});

it('Bookings of an earlier preview are carried over', async () => {
  const cluster = await Cluster.start();
  const booked = await cluster.book('bookings');
  cluster.query(AS_EARLIER, 'bookings_owner');
  await expect(cluster.book('bookings')).rejects.toThrow('See "Upgrading" in docs/deployment.md.');
  const [carryOver] = commandsOf('deployment.md', 'Upgrading');
  const [, swap, clear] = RESTORE;
  for (const commands of [carryOver!, swap!, clear!]) cluster.run(commands, {}, 'postgres');
  expect(await cluster.book('bookings')).toEqual(booked);
});
