import { checkDurability, checkSlotsNeverOverlap, slotsOfAcknowledged, slotsOfRows } from '../checks/check-bookings.js';
import type { Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { crash } from './crashes.js';
import type { Figures } from './figures.js';
import { fill } from './walkers.js';

/** Breaks one promise on purpose; the check of that promise has to find it. */
interface Sabotage {
  /** Another constraint of that name, which keeps no promise: the service books nothing without one. */
  readonly constraint?: string;
  /** What a trigger does before each insert. */
  readonly beforeInsert: string;
  readonly provoke: (deployment: Deployment) => Promise<Violations>;
}

const NO_PROMISE = 'EXCLUDE USING gist (booking_id WITH =)';
/** An insert takes as long as on a busy machine. */
const TAKE_TIME = 'PERFORM pg_sleep(0.005);';

const SABOTAGES: Record<string, Sabotage> = {
  // Only the query of the service before its insert is left.
  'no constraint': { constraint: NO_PROMISE, beforeInsert: TAKE_TIME, provoke: raceForWindows },
  'check, then insert': {
    constraint: NO_PROMISE,
    beforeInsert: `
      IF EXISTS (SELECT FROM bookings WHERE resource_id = NEW.resource_id
        AND int8range(slot_start, slot_end) && int8range(NEW.slot_start, NEW.slot_end)) THEN RETURN NULL; END IF;
      ${TAKE_TIME}`,
    provoke: raceForWindows,
  },
  // In a trigger, since the statement of a create switches on what was off before.
  'synchronous_commit off': {
    beforeInsert: `PERFORM set_config('synchronous_commit', 'off', true);`,
    provoke: crashAfterCreates,
  },
};

/** A sabotage that no check catches is a violation. */
export async function sabotages(deployment: Deployment): Promise<Figures> {
  const violations: Violations = [];
  const found: string[] = [];
  const [constraint] = await deployment.query<{ definition: string }>(
    `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'slots_never_overlap'`,
  );
  for (const [name, sabotage] of Object.entries(SABOTAGES)) {
    await deployment.clear();
    await replaceConstraint(deployment, sabotage.constraint ?? constraint!.definition);
    await deployment.query(`
      CREATE FUNCTION sabotage() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN ${sabotage.beforeInsert} RETURN NEW; END $$;
      CREATE TRIGGER sabotage BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION sabotage()`);
    const caught = await sabotage.provoke(deployment);
    if (caught.length === 0) violations.push(`The checks do not catch the sabotage "${name}".`);
    found.push(`${name} ${caught.length} times`);
    await deployment.clear();
    await replaceConstraint(deployment, constraint!.definition);
    await deployment.query('DROP FUNCTION sabotage CASCADE');
  }
  return { size: `caught: ${found.join(', ')}`, violations };
}

async function replaceConstraint(deployment: Deployment, definition: string): Promise<void> {
  await deployment.query(
    `ALTER TABLE bookings DROP CONSTRAINT slots_never_overlap, ADD CONSTRAINT slots_never_overlap ${definition}`,
  );
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

async function crashAfterCreates(deployment: Deployment): Promise<Violations> {
  await fill(deployment, 300);
  await crash(deployment, 'SIGQUIT');
  return checkDurability(deployment.history, await deployment.rows());
}
