import { setTimeout as sleep } from 'node:timers/promises';
import { duplicatesOf } from '../checks/check-events.js';
import type { Bench } from '../deployment/deployment.js';
import { EventsDeployment } from '../deployment/events-deployment.js';
import { untilReady } from '../deployment/replica.js';
import { crash } from './crashes.js';
import type { Figures } from './figures.js';

/** Events that may be delivered twice for each kill or crash and endpoint: those in flight, and those acknowledged since. */
const EXPLAINED = 32;

/** Of so many bookings, one is deleted: at once, or when its event was probably delivered. */
const BOOKINGS_PER_DELETION = 10;
const DELETION_DELAYS = [0, 200];

/** Of so many deliveries, a flaky endpoint rejects one, and resets another. */
const DELIVERIES_PER_FAULT = 500;

/**
 * Clients book, and bookings are deleted, through kills and crashes; a steady and a flaky endpoint are notified.
 *
 * @param kills of replicas, by kill -9
 * @param crashes immediate stops of PostgreSQL and kill -9 of its postmaster, in turn
 */
export async function eventsThroughCrashes(
  bench: Bench,
  bookings: number,
  kills: number,
  crashes: number,
): Promise<Figures> {
  const events = await EventsDeployment.start(bench, 2);
  const { deployment, receivers, deletions } = events;
  try {
    receivers[1].behaviour = (_, response, { socket }) => {
      const chance = bench.random.below(DELIVERIES_PER_FAULT);
      if (chance === 0) socket.destroy();
      else response.writeHead(chance === 1 ? 503 : 204).end();
    };
    let created = 0;
    let left = kills + crashes;
    const booking = events.book(
      24,
      () => left === 0 && created >= bookings,
      async (id) => {
        created++;
        if (bench.random.below(BOOKINGS_PER_DELETION) > 0) return;
        await sleep(bench.random.pick(DELETION_DELAYS));
        await events.delete(id);
      },
    );
    for (let crashed = 0; left > 0; left--) {
      await sleep(150 + bench.random.below(300));
      const isOfDatabase = bench.random.below(left) < crashes - crashed;
      if (!isOfDatabase) await crash(deployment, 'replica');
      else await crash(deployment, crashed++ % 2 === 0 ? 'SIGQUIT' : 'SIGKILL');
      await untilReady(deployment.replicas);
    }
    await booking;
    const violations = await events.check();
    const duplicates = receivers.map(({ accepted }) => duplicatesOf(accepted));
    if (Math.max(...duplicates) > (kills + crashes) * EXPLAINED)
      violations.push(`E3: ${duplicates.join(' and ')} events were delivered twice.`);
    const booked = deployment.history.acknowledged().length;
    const size = `${booked} bookings, ${deletions.length} deleted, ${kills} kills, ${crashes} crashes, ${duplicates.join(' and ')} twice`;
    return { size, violations };
  } finally {
    await events.stop();
  }
}
