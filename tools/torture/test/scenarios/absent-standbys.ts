import { until } from 'testing';
import { atOnce } from '../at-once.js';
import { isAcknowledged, type Violations } from '../checks/history.js';
import type { CrashablePostgres } from '../deployment/crashable-postgres.js';
import type { Bench, Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { crash, untilBooking } from './crashes.js';
import { withStandby } from './failovers.js';
import type { Figures } from './figures.js';

/** More than two creates for each replica, so that some share a statement. */
const CREATES = 16;
/** Short time limits, in milliseconds: while the standby is away, every create waits until they expire. */
const LIMITS = { DATABASE_CONNECT_TIMEOUT_MS: '1000', DATABASE_STATEMENT_TIMEOUT_MS: '1000' };

/** @param sabotage SQL that breaks a promise */
export async function absentStandbys(bench: Bench, times: number, sabotage = ''): Promise<Figures> {
  const violations: Violations = [];
  for (let number = 1; number <= times; number++) {
    const work = async (deployment: Deployment, standby: CrashablePostgres): Promise<Violations> => {
      await deployment.query(sabotage);
      return leaveAndReturn(deployment, standby);
    };
    violations.push(...(await withStandby(bench, work, LIMITS)));
  }
  return { size: `${times}`, violations };
}

/**
 * Sends creates while the standby is away; restarts the primary, which makes waiting commits visible, and sends the
 * creates again, until the standby is back and all are acknowledged. Then loses the primary and promotes the standby.
 */
async function leaveAndReturn(deployment: Deployment, standby: CrashablePostgres): Promise<Violations> {
  const { client, history, postgres, proxy } = deployment;
  const creates = Array.from({ length: CREATES }, (_, hour) => newPayload(slotAt('room', hour)));
  const send = () => atOnce(CREATES, (index) => client.create(deployment.url(index), creates[index]!, `key-${index}`));
  await standby.stop();
  await send();
  await crash(deployment, 'SIGQUIT');
  // A replica with the trigger of a sabotage is never ready.
  await until(async () =>
    (await atOnce(CREATES, (index) => fetch(`${deployment.url(index)}/v1/bookings`))).every(({ ok }) => ok),
  );
  const { length: visible } = await deployment.query('SELECT FROM bookings');
  await send();
  const early = history.acknowledged.map(
    ({ bookingId }) => `C2: ${bookingId} was acknowledged, and no standby had it.`,
  );
  await standby.restart();
  await until(async () => (await send()).every(isAcknowledged));
  await postgres.stop('SIGQUIT');
  await standby.query('postgres', 'SELECT pg_promote(true, 30)');
  proxy.leadTo(standby.port);
  deployment.postgres = standby;
  await untilBooking(deployment);
  const unproven = visible > 0 ? [] : ['No create was kept by the primary alone, so that nothing was replayed.'];
  return [...unproven, ...early, ...(await deployment.check())];
}
