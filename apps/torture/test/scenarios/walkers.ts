import type { Walk } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt, Workload } from '../deployment/workload.js';
import type { Figures } from './figures.js';

const LISTS: readonly Walk['list'][] = [{}, { sort: 'created_at' }, { from: '0001-01-01T00:00:00Z' }];
const WRITERS = 4;
const WALKERS = 4;

/** Walks of every list, each page at another replica, while clients book. */
export async function walkers(deployment: Deployment, walks: number, bookings: number): Promise<Figures> {
  const { bench, client, urls, history } = deployment;
  await fill(deployment, bookings);
  let begun = 0;
  await new Workload(deployment).during(WRITERS, async () => {
    const walkOn = async (): Promise<void> => {
      while (begun < walks) await client.walk(urls, LISTS[begun++ % LISTS.length]!, 37 + bench.random.below(64));
    };
    await Promise.all(Array.from({ length: WALKERS }, walkOn));
  });
  const lengths = history.walks.map(({ bookingIds }) => bookingIds.length);
  return {
    size: `${walks} walks of ${Math.min(...lengths)} to ${Math.max(...lengths)} bookings`,
    violations: history.walks.flatMap(({ isWhole }, number) => (isWhole ? [] : [`Walk ${number} did not end.`])),
  };
}

/** Books slots of their own for many resources, every tenth booking without one. */
export async function fill(deployment: Deployment, bookings: number): Promise<void> {
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let number = writer; number < bookings; number += 16) {
      const slot = number % 10 === 0 ? undefined : slotAt(`filled ${number % 50}`, 24 + Math.floor(number / 50));
      await deployment.client.create(deployment.url(number), newPayload(slot));
    }
  });
  await Promise.all(writers);
}
