import { atOnce } from '../at-once.js';
import type { Walk } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt, Workload } from '../deployment/workload.js';
import type { Figures } from './figures.js';

const LISTS: readonly Walk['list'][] = [{}, { sort: 'created_at' }, { from: '0001-01-01T00:00:00Z' }];
const CLIENTS = 4;

/** Walks the lists, each page at the next replica, while clients book. */
export async function walkers(deployment: Deployment, walks: number, bookings: number): Promise<Figures> {
  const { bench, client, urls, history } = deployment;
  await fill(deployment, bookings);
  let begun = 0;
  const walk = async (): Promise<void> => {
    while (begun < walks) await client.walk(urls, LISTS[begun++ % LISTS.length]!, 37 + bench.random.below(64));
  };
  await new Workload(deployment).during(CLIENTS, () => atOnce(CLIENTS, walk));
  const lengths = history.walks.map(({ bookingIds }) => bookingIds.length);
  return {
    size: `${walks} walks of ${Math.min(...lengths)} to ${Math.max(...lengths)} bookings`,
    violations: history.walks.flatMap(({ isWhole }, number) => (isWhole ? [] : [`Walk ${number} did not end.`])),
  };
}

/** Books slots of many resources, without conflicts. Every tenth booking has no slot. */
export async function fill(deployment: Deployment, bookings: number): Promise<void> {
  await atOnce(16, async (writer) => {
    for (let number = writer; number < bookings; number += 16) {
      const slot = number % 10 === 0 ? undefined : slotAt(`filled ${number % 50}`, 24 + Math.floor(number / 50));
      await deployment.client.create(deployment.url(number), newPayload(slot));
    }
  });
}
