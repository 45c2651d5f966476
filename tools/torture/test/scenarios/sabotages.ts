import { checkDurability, checkSlotsNeverOverlap, slotsOf } from '../checks/check-bookings.js';
import type { Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { absentStandbys } from './absent-standbys.js';
import { crash } from './crashes.js';
import type { Figures } from './figures.js';
import { fill } from './walkers.js';

const CONSTRAINT = 'ALTER TABLE bookings DROP CONSTRAINT slots_never_overlap, ADD CONSTRAINT slots_never_overlap';
/** A definition without effect: without a constraint of this name, the service would book nothing. */
const NO_PROMISE = 'EXCLUDE USING gist (booking_id WITH =)';
/** Delays an insert, like a busy machine. */
const TAKE_TIME = 'PERFORM pg_sleep(0.005);';
const CHECK = `
  IF EXISTS (SELECT FROM bookings WHERE resource_id = NEW.resource_id
    AND int8range(slot_start, slot_end) && int8range(NEW.slot_start, NEW.slot_end)) THEN RETURN NULL; END IF;`;

/** Ways to break a promise, by a trigger before each insert; `provoke` returns the findings of the checks. */
const SABOTAGES = [
  { name: 'no constraint', breaks: true, beforeInsert: TAKE_TIME, provoke: raceForWindows },
  { name: 'check, then insert', breaks: true, beforeInsert: CHECK + TAKE_TIME, provoke: raceForWindows },
  // Overrides the setting of a create's own statement.
  {
    name: 'synchronous_commit off',
    breaks: false,
    beforeInsert: `PERFORM set_config('synchronous_commit', 'off', true);`,
    provoke: crashAfterCreates,
  },
  {
    name: 'a replay that waits for no standby',
    breaks: false,
    beforeInsert: `
      IF EXISTS (SELECT FROM bookings WHERE idempotency_key = NEW.idempotency_key) THEN
        PERFORM set_config('synchronous_commit', 'local', true);
      END IF;`,
    provoke: async ({ bench }: Deployment, trigger: string) => (await absentStandbys(bench, 1, trigger)).violations,
  },
];

/** An undetected sabotage is a violation. */
export async function sabotages(deployment: Deployment): Promise<Figures> {
  const violations: Violations = [];
  const [constraint] = await deployment.query<{ definition: string }>(
    `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'slots_never_overlap'`,
  );
  for (const { name, breaks, beforeInsert, provoke } of SABOTAGES) {
    await deployment.clear();
    const trigger = `
      CREATE FUNCTION sabotage() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN ${beforeInsert} RETURN NEW; END $$;
      CREATE TRIGGER sabotage BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION sabotage()`;
    await deployment.query(`${CONSTRAINT} ${breaks ? NO_PROMISE : constraint!.definition}; ${trigger}`);
    const caught = await provoke(deployment, trigger);
    if (caught.length === 0) violations.push(`The checks do not catch the sabotage "${name}".`);
    await deployment.clear();
    await deployment.query(`DROP FUNCTION sabotage CASCADE; ${CONSTRAINT} ${constraint!.definition}`);
  }
  return { size: `${SABOTAGES.length}`, violations };
}

/** Counts as detected only if both the check of the responses and that of the rows find overlapping slots. */
async function raceForWindows(deployment: Deployment): Promise<Violations> {
  for (let round = 0; round < 10; round++)
    await deployment.createAtOnce(16, (index) => newPayload(slotAt('room', 2 * round + (index % 2), 2)));
  const ofRows = checkSlotsNeverOverlap(await deployment.rows());
  return ofRows.length > 0 ? checkSlotsNeverOverlap(slotsOf(deployment.history)) : [];
}

async function crashAfterCreates(deployment: Deployment): Promise<Violations> {
  await fill(deployment, 300);
  await crash(deployment, 'SIGQUIT');
  return checkDurability(deployment.history, await deployment.rows());
}
