import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { failToStart } from 'testing';
import type { Violations } from '../checks/violations.js';
import { SERVICE_ROLE } from '../deployment/crashable-postgres.js';
import { type Bench, Deployment } from '../deployment/deployment.js';
import { untilReady } from '../deployment/replica.js';
import { Workload } from '../deployment/workload.js';
import type { Figures } from './figures.js';
import { fill } from './walkers.js';

const CLIENTS = 16;
/** Milliseconds between two steps of a restore, in which clients meet what the first one left. */
const PAUSE = 20;

/**
 * Restores a backup while clients use a replica: nothing is booked twice, and nothing at all before both constraints
 * are there.
 *
 * @param mayCreateExtension false for a restore by a role that may not create `btree_gist`. It leaves out what needs that,
 *   as `pg_restore` does by default; an operator adds it in the end
 */
export async function restores(bench: Bench, bookings: number, mayCreateExtension = true): Promise<Figures> {
  const deployment = await Deployment.start(bench, 1);
  try {
    await fill(deployment, bookings);
    const workload = new Workload(deployment, bench.random);
    await workload.run(CLIENTS, 200);
    const violations: Violations = [];
    const restore = (client: Client): Promise<void> => restoreWith(client, deployment, mayCreateExtension, violations);
    await workload.during(CLIENTS, async () => {
      await bench.postgres.withClient(deployment.database, restore);
      await untilReady(deployment.replicas);
      await sleep(PAUSE);
    });
    // A get is 404 until the rows are there again.
    const isOfReads = (violation: string): boolean => /^C3|^C7: get has the response 404/.test(violation);
    violations.push(...(await deployment.check()).filter((violation) => !isOfReads(violation)));
    const unavailable = deployment.history.creates.filter(({ outcome }) => outcome === 'unavailable').length;
    const size = `${bookings} bookings, ${unavailable} creates were 503`;
    return { scenario: `restore ${mayCreateExtension ? 'under load' : 'without btree_gist'}`, size, violations };
  } finally {
    await deployment.stop();
  }
}

/** Each step is a transaction, as in `pg_restore`, which the embedded PostgreSQL does not have. */
async function restoreWith(
  client: Client,
  deployment: Deployment,
  mayCreateExtension: boolean,
  violations: Violations,
): Promise<void> {
  const run = async (step: string): Promise<void> => {
    await sleep(PAUSE);
    await client.query(step).catch((error: Error) => violations.push(`Restore: ${step} fails: ${error.message}`));
  };
  const createExtension = 'RESET ROLE; ALTER EXTENSION btree_gist SET SCHEMA public';
  await run('ALTER SCHEMA public RENAME TO backup');
  await run(`CREATE SCHEMA public AUTHORIZATION ${SERVICE_ROLE}`);
  if (mayCreateExtension) await run(createExtension);
  await run(`SET ROLE ${SERVICE_ROLE}`);
  const { rows: tables } = await client.query<{ name: string }>(TABLES);
  for (const { name } of tables) {
    await run(`CREATE TABLE ${name} (LIKE backup.${name} INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING CONSTRAINTS)`);
  }
  for (const { name } of tables) {
    // A create that was under way when the tables were moved ends first.
    await run(`LOCK TABLE backup.${name}; INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM backup.${name}`);
  }
  const { rows: additions } = await client.query<{ sql: string; isGist: boolean }>(ADDITIONS);
  for (const { sql, isGist } of additions) if (mayCreateExtension || !isGist) await run(sql);
  if (mayCreateExtension) return;

  violations.push(...(await checkNothingIsBooked(deployment)));
  await run(createExtension);
  await run(`SET ROLE ${SERVICE_ROLE}`);
  for (const { sql, isGist } of additions) if (isGist) await run(sql);
}

const TABLES = `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'backup' ORDER BY 1`;

/** Constraints, then indexes. */
const ADDITIONS = `
  SELECT 'ALTER TABLE public.' || relname || ' ADD CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid) AS sql,
    contype = 'x' AS "isGist", 1 AS place
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
  WHERE connamespace = 'backup'::regnamespace AND contype IN ('p', 'u', 'x')
  UNION ALL SELECT replace(indexdef, ' ON backup.', ' ON public.'), indexdef LIKE '% USING gist %', 2
  FROM pg_indexes WHERE schemaname = 'backup' AND indexname NOT IN (SELECT conname FROM pg_constraint)
  ORDER BY place, sql`;

/** Without the constraint of the slots. */
async function checkNothingIsBooked(deployment: Deployment): Promise<Violations> {
  const { bench, database } = deployment;
  const count = async (): Promise<number> => (await deployment.query('SELECT FROM bookings')).length;
  const before = await count();
  await sleep(1_000);
  const { code, stderr } = await failToStart({ DATABASE_URL: bench.postgres.url(database) });
  return [
    ...((await count()) === before ? [] : ['Restore: bookings are made without the constraint of the slots.']),
    ...(code === 1 && stderr.includes('lacks slots_never_overlap')
      ? []
      : [`Restore: a start is not refused: ${stderr}`]),
  ];
}
