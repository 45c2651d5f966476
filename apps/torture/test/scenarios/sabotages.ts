import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { programOf } from 'testing';
import { checkDurability, checkSlotsNeverOverlap, slotsOfAcknowledged, slotsOfRows } from '../checks/check-bookings.js';
import type { Violations } from '../checks/violations.js';
import { SERVICE_ROLE } from '../deployment/crashable-postgres.js';
import type { Deployment } from '../deployment/deployment.js';
import type { Figures } from './figures.js';
import { untilReady } from '../deployment/replica.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { fill } from './walkers.js';

/** Each breaks one promise on purpose; the check of that promise has to find it. */
const SABOTAGES: Record<string, (deployment: Deployment) => Promise<Violations>> = {
  'no constraint': noConstraint,
  'check, then insert': checkThenInsert,
  'synchronous_commit off': asynchronousCommit,
};

/** Another of that name, which keeps no promise: the service books nothing without one. */
const REPLACE_SLOTS_CONSTRAINT = `ALTER TABLE bookings DROP CONSTRAINT slots_never_overlap,
  ADD CONSTRAINT slots_never_overlap EXCLUDE USING gist (booking_id WITH =)`;

/** A sabotage that no check catches is a violation. */
export async function sabotages(deployment: Deployment): Promise<Figures[]> {
  const figures: Figures[] = [];
  for (const [name, sabotage] of Object.entries(SABOTAGES)) {
    await startAfresh(deployment);
    const caught = await sabotage(deployment);
    const violations = caught.length > 0 ? [] : [`The checks do not catch the sabotage "${name}".`];
    figures.push({ scenario: `sabotage: ${name}`, size: `caught ${caught.length} times`, violations });
    deployment.bench.say(`sabotage "${name}": ${caught[0] ?? 'not caught'}`);
  }
  await startAfresh(deployment);
  return figures;
}

/** Undoes what the previous sabotage did to the database. */
async function startAfresh(deployment: Deployment): Promise<void> {
  const { bench, database } = deployment;
  await deployment.clear();
  await deployment.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION ${SERVICE_ROLE}`);
  const limits = { DATABASE_CONNECT_TIMEOUT_MS: '5000', DATABASE_STATEMENT_TIMEOUT_MS: '5000' };
  const env = { PATH: process.env['PATH'], DATABASE_URL: bench.postgres.url(database), ...limits };
  await promisify(execFile)(process.execPath, [programOf('cli/migrate.js')], { env });
  await reconnect(deployment);
}

/** Has the replicas open new connections in place of all that they have. */
async function reconnect({ bench, replicas }: Deployment): Promise<void> {
  await bench.postgres.cutConnections();
  await sleep(100);
  await untilReady(replicas);
}

/** Only the query of the service before its insert is left; an insert takes as long here as on a busy machine. */
async function noConstraint(deployment: Deployment): Promise<Violations> {
  await deployment.query(`
    ${REPLACE_SLOTS_CONSTRAINT};
    CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_sleep(0.005);
        RETURN NEW;
      END $$;
    CREATE TRIGGER take_time BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION take_time()`);
  return raceForWindows(deployment);
}

/** A trigger that queries before every insert, like a service that checks before it writes. */
async function checkThenInsert(deployment: Deployment): Promise<Violations> {
  await deployment.query(`
    ${REPLACE_SLOTS_CONSTRAINT};
    CREATE FUNCTION check_first() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM bookings WHERE resource_id = NEW.resource_id
          AND int8range(slot_start, slot_end) && int8range(NEW.slot_start, NEW.slot_end)) THEN RETURN NULL; END IF;
        PERFORM pg_sleep(0.005);
        RETURN NEW;
      END $$;
    CREATE TRIGGER check_first BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION check_first()`);
  return raceForWindows(deployment);
}

async function raceForWindows(deployment: Deployment): Promise<Violations> {
  const { client, urls, history } = deployment;
  for (let round = 0; round < 10; round++) {
    const racers = Array.from({ length: 16 }, (_, index) =>
      client.create(urls[index % urls.length]!, newPayload(slotAt('room', 2 * round + (index % 2), 2))),
    );
    await Promise.all(racers);
  }
  const ofRows = checkSlotsNeverOverlap(slotsOfRows(await deployment.rows()));
  // Both have to find it: the check of the responses, and that of the rows.
  return ofRows.length > 0 ? checkSlotsNeverOverlap(slotsOfAcknowledged(history)) : [];
}

/** A trigger, since the statement of a create switches on what is off before. */
async function asynchronousCommit(deployment: Deployment): Promise<Violations> {
  const { bench, history, replicas } = deployment;
  await deployment.query(`
    CREATE FUNCTION commit_later() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        RETURN NEW;
      END $$;
    CREATE TRIGGER commit_later BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION commit_later()`);
  await fill(deployment, 300);
  await bench.postgres.stop('SIGQUIT');
  await bench.postgres.startAgain();
  await untilReady(replicas);
  return checkDurability(history, await deployment.rows());
}
