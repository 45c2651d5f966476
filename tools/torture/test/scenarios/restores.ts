import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Violations } from '../checks/history.js';
import { SERVICE_ROLE } from '../deployment/crashable-postgres.js';
import type { Deployment } from '../deployment/deployment.js';
import { Workload } from '../deployment/workload.js';
import type { Figures } from './figures.js';
import { fill } from './walkers.js';

/** Milliseconds between two steps, so that clients also meet the states in between. */
const PAUSE = 20;

/** Restores a backup while clients book: nothing is booked before both constraints are there. */
export async function restore(deployment: Deployment, bookings: number): Promise<Figures> {
  await fill(deployment, bookings);
  const workload = new Workload(deployment);
  await workload.run(16, 200);
  const violations: Violations = [];
  await workload.during(16, async () => {
    await deployment.postgres.withClient(deployment.database, (client) => restoreWith(client, violations));
    await deployment.untilReady();
    await sleep(PAUSE);
  });
  // A get is 404 until the rows are back.
  const isOfReads = (violation: string): boolean => /^C3|^C7: GET has the response 404/.test(violation);
  violations.push(...(await deployment.check()).filter((violation) => !isOfReads(violation)));
  const unavailable = deployment.history.creates.filter(({ outcome }) => outcome === 'unavailable').length;
  return { size: `${bookings} bookings, ${unavailable} creates were 503`, violations };
}

/** Commits each step, like `pg_restore`, which the embedded PostgreSQL lacks. */
async function restoreWith(client: Client, violations: Violations): Promise<void> {
  const run = async (step: string): Promise<void> => {
    await sleep(PAUSE);
    await client.query(step).catch((error: Error) => violations.push(`Restore: ${step} fails: ${error.message}`));
  };
  await run('ALTER SCHEMA public RENAME TO backup');
  await run(`CREATE SCHEMA public AUTHORIZATION ${SERVICE_ROLE}`);
  await run(`SET ROLE ${SERVICE_ROLE}`);
  const { rows: tables } = await client.query<{ name: string; columns: string }>(TABLES);
  for (const { name } of tables) {
    await run(`CREATE TABLE ${name} (LIKE backup.${name} INCLUDING ALL EXCLUDING INDEXES)`);
  }
  for (const { name, columns } of tables) {
    // The lock waits for creates that began before the schema was renamed.
    const insert = `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM backup.${name}`;
    await run(`LOCK TABLE backup.${name}; ${insert}`);
  }
  const { rows: additions } = await client.query<{ sql: string }>(ADDITIONS);
  for (const { sql } of additions) await run(sql);
}

/** Tables and their columns, without generated columns. */
const TABLES = `SELECT relname AS name, string_agg(quote_ident(attname), ', ') AS columns
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
  WHERE relnamespace = 'backup'::regnamespace AND relkind = 'r' AND attnum > 0 AND attgenerated = '' AND NOT attisdropped
  GROUP BY relname ORDER BY relname`;

/** Constraints, then indexes, then triggers, like `pg_restore`. */
const ADDITIONS = `
  SELECT 'ALTER TABLE public.' || relname || ' ADD CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid) AS sql,
    1 AS place
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
  WHERE connamespace = 'backup'::regnamespace AND contype IN ('p', 'u', 'x')
  UNION ALL SELECT replace(indexdef, ' ON backup.', ' ON public.'), 2
  FROM pg_indexes WHERE schemaname = 'backup' AND indexname NOT IN (SELECT conname FROM pg_constraint)
  UNION ALL SELECT replace(pg_get_triggerdef(pg_trigger.oid), ' ON backup.', ' ON public.'), 3
  FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE relnamespace = 'backup'::regnamespace AND NOT tgisinternal
  ORDER BY place, sql`;
