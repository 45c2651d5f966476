import { randomBytes, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Client } from 'pg';
import { createTestDatabase, Receiver, sqlOf, type TestDatabase } from 'testing';
import { CREATE_GROUP } from '../../src/bookings/postgres/create-statements.js';
import { readConfig } from '../../src/config/config.js';
import { migrate, prepareSchema } from '../../src/database/migrations.js';
import { EventsFixture } from '../events/events-fixture.js';
import type { Api } from '../support/api.js';
import { runCommand } from '../support/run-command.js';
import { aKey, aResource, aSlot, create, idsOf, list } from '../support/bookings.js';
import { OtherMigrations } from '../support/other-migrations.js';
import { onServer } from '../support/pooled.js';
import { until } from '../support/until.js';

interface Tenant {
  /** The name of the role that serves, and of the schema. */
  readonly role: string;
  readonly url: string;
  readonly ownerUrl: string;
  readonly events: EventsFixture;
  readonly receiver: Receiver;
  readonly service: Api;
}

const [once, each, deletion] = sqlOf('deployment.md', 'Tenants');
const deletionOf = (role: string): string => deletion!.replaceAll('acme', role);

let database: TestDatabase;
let one: Tenant;
let other: Tenant;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.query(once!);
  [one, other] = await Promise.all([startTenant(), startTenant()]);
});
afterAll(async () => {
  const tenants = [one, other].filter((tenant) => tenant !== undefined);
  await Promise.all(tenants.flatMap(({ events, receiver }) => [events.close(), receiver.close()]));
  for (const { role } of tenants) {
    const [row] = await database.query<{ is_there: boolean }>(`SELECT to_regrole('${role}') IS NOT NULL AS is_there`);
    if (row!.is_there) await database.query(deletionOf(role));
  }
  await database.drop();
});

async function startTenant(): Promise<Tenant> {
  const role = `tenant_${randomBytes(6).toString('hex')}`;
  await database.query(each!.replaceAll('acme', role));
  const [ownerUrl, url] = [`${role}_owner`, role].map((name) => {
    const own = new URL(database.url);
    own.username = name;
    own.password = '…';
    return own.href;
  });
  await migrate(readConfig({ DATABASE_URL: ownerUrl }).database!, role);
  const receiver = await Receiver.start();
  const events = new EventsFixture({ ...database, url: url!, drop: async () => {} });
  events.setEndpoints({ name: 'billing', url: receiver.url });
  const { api } = await events.start();
  return { role, url: url!, ownerUrl: ownerUrl!, events, receiver, service: api };
}

/** Runs `work` while a transaction of an operator is open. */
async function whileHeld<Result>(sql: string, work: () => Promise<Result>): Promise<Result> {
  const operator = new Client({ connectionString: database.url });
  await operator.connect();
  try {
    await operator.query('BEGIN');
    await operator.query(sql);
    return await work();
  } finally {
    await operator.end();
  }
}

/** Connections of the tenant, its owner included, that wait for a lock. */
const countWaiting = async ({ role }: Tenant): Promise<number> => {
  const waiting = `SELECT FROM pg_stat_activity WHERE usename LIKE '${role}%' AND wait_event_type = 'Lock'`;
  return (await database.query(waiting)).length;
};

const createWith = async ({ service }: Tenant, key: string, slot: object): Promise<number> =>
  (await service.post('/v1/bookings').set('Idempotency-Key', key).send({ slot })).status;

describe('Two tenants as in docs/deployment.md, on one database', () => {
  it('have the same slots and keys free, and see only their own bookings', async () => {
    const [resource, key] = [aResource(), aKey()];
    const slot = aSlot(resource);
    expect(await createWith(one, key, slot)).toBe(201);
    expect(await createWith(other, key, slot)).toBe(201);
    expect(await createWith(other, aKey(), slot)).toBe(409);
    const [{ bookings: ones }, { bookings: others }] = await Promise.all([list(one.service), list(other.service)]);
    expect([ones.length, others.length]).toEqual([1, 1]);
    expect(idsOf(ones)).not.toEqual(idsOf(others));
    await other.service.get(`/v1/bookings/${ones[0]!.booking_id}`).expect(404);
    const window = { resource_id: resource, from: slot.start, to: slot.end, sort: 'start' };
    expect((await list(other.service, window)).bookings).toEqual(others);
  });

  it('do not wait for the locks of each other, neither for slots nor for keys', async () => {
    const [resource, key, id] = [aResource(), aKey(), randomUUID()];
    const group = [[id], [resource], [0], [1], '{}', [key], ['fingerprint'], [crc32(key) | 0], 300];
    const clients = [one, other].map(({ url }) => new Client({ connectionString: url }));
    try {
      for (const client of clients) {
        await client.connect();
        await client.query('BEGIN');
        const { rows } = await client.query(CREATE_GROUP.text, group);
        expect(rows).toMatchObject([{ booking_id: id, is_kept: true }]);
      }
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });

  it('migrate independently', async () => {
    const migrations = new OtherMigrations();
    const file = '0101_later.sql';
    const change = { [file]: 'ALTER TABLE bookings ADD COLUMN later text' };
    const ofOne = await whileHeld(`LOCK TABLE ${one.role}.bookings IN SHARE MODE`, async () => {
      const migrating = migrate(migrations.settings(one.ownerUrl, change));
      await until(async () => (await countWaiting(one)) > 0);
      expect((await migrate(migrations.settings(other.ownerUrl))).applied).toEqual([file]);
      expect(await countWaiting(one)).toBeGreaterThan(0);
      return { migrating };
    });
    expect((await ofOne.migrating).applied).toEqual([file]);
    migrations.remove();
  });

  it('have their own events and endpoints', async () => {
    const received = ({ receiver }: Tenant) => receiver.accepted.map(({ event }) => event.subject);
    const expectOwn = async (tenant: Tenant): Promise<void> => {
      const ids = idsOf((await list(tenant.service, { limit: 100 })).bookings);
      await until(() => received(tenant).length >= ids.length);
      expect(received(tenant).toSorted()).toEqual(ids.toSorted());
    };
    await Promise.all([create(one.service), create(one.service), create(other.service)]);
    await Promise.all([expectOwn(one), expectOwn(other)]);
  });

  it('are apart for the webhooks command too', async () => {
    await database.query(
      `INSERT INTO ${other.role}.webhook_deliveries (endpoint, booking_id, due) VALUES ('billing', gen_random_uuid(), NULL)`,
    );
    const lists = [one, other].map(({ events }) => runCommand('webhooks', ['list'], events.env));
    const [ones, others] = await Promise.all(lists);
    expect(ones!.stdout).toMatch(/^billing: up, 0 pending, 0 dead letters\n$/);
    expect(others!.stdout).toMatch(/^billing: up, 0 pending, 1 dead letters\n$/);
  });

  it('do not start where their search_path leads to the bookings of another one', async () => {
    await database.query(`GRANT USAGE ON SCHEMA ${other.role} TO ${one.role}`);
    await database.query(`ALTER ROLE ${one.role} SET search_path = ${one.role}, ${other.role}, extensions`);
    await expect(prepareSchema(readConfig({ DATABASE_URL: onServer(one.url) }).database!, false)).rejects.toThrow(
      /^the search_path of the role leads to the bookings of tenant_\w+ and tenant_\w+: /,
    );
    await database.query(`ALTER ROLE ${one.role} SET search_path = ${one.role}, extensions`);
    await database.query(`REVOKE USAGE ON SCHEMA ${other.role} FROM ${one.role}`);
  });

  it('may not read the tables of each other', async () => {
    const client = new Client({ connectionString: other.url });
    await client.connect();
    await expect(client.query(`SELECT FROM ${one.role}.bookings`)).rejects.toThrow(
      `permission denied for schema ${one.role}`,
    );
    await client.end();
  });

  it('lose their constraints alone, and are deleted alone', async () => {
    await database.query(`ALTER TABLE ${one.role}.bookings DROP CONSTRAINT slots_never_overlap`);
    expect(await createWith(one, aKey(), aSlot(aResource()))).toBe(503);
    expect(await createWith(other, aKey(), aSlot(aResource()))).toBe(201);
    await database.query(deletionOf(one.role));
    const slot = aSlot(aResource());
    expect([await createWith(other, aKey(), slot), await createWith(other, aKey(), slot)]).toEqual([201, 409]);
    expect(await createWith(one, aKey(), slot)).toBe(503);
  });
});
