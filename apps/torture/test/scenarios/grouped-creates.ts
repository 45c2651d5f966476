import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../deployment/deployment.js';
import type { Figures } from './figures.js';
import { newPayload, slotAt } from '../deployment/workload.js';

/** Clients of each replica: enough that creates go to the database in groups. */
const CLIENTS = 64;
/** Creates after which the clients move to other resources and keys. */
const CREATES_OF_AN_ERA = 900;
const RESOURCES = 20;
const KEYS = 100;
/** Milliseconds after which a session that is idle has reported its deadlocks. */
const REPORTED = 1_500;

/**
 * Overlapping slots, and keys that are sent with several payloads, all at once on all replicas: every create is
 * decided, without a deadlock.
 */
export async function groupedCreates(deployment: Deployment, creates: number): Promise<Figures> {
  await deployment.clear();
  const { bench, client, urls, history } = deployment;
  const { random } = bench;
  const deadlocksBefore = await deadlocksOf(deployment);
  let begun = 0;
  const write = async (url: string): Promise<void> => {
    while (begun < creates) {
      const number = begun++;
      const era = Math.floor(number / CREATES_OF_AN_ERA);
      const slot = slotAt(`group ${era}.${random.below(RESOURCES)}`, random.below(24), 1 + random.below(2));
      const key = random.chance(0.5) ? `group-${era}-${random.below(KEYS)}` : undefined;
      await client.create(url, newPayload(slot), key);
      if (number % 9_000 === 8_999) bench.say(`${number + 1} of ${creates} creates in groups`);
    }
  };
  await Promise.all(urls.flatMap((url) => Array.from({ length: CLIENTS }, () => write(url))));
  await sleep(REPORTED);
  const deadlocks = (await deadlocksOf(deployment)) - deadlocksBefore;
  const undecided = history.creates.filter(({ outcome }) => outcome === 'unavailable' || outcome === 'rejected');
  const violations = [
    ...(deadlocks === 0 ? [] : [`Groups: ${deadlocks} deadlocks.`]),
    ...undecided.map(({ payload, outcome }) => `Groups: ${payload.request} has the response ${outcome}.`),
    ...(await deployment.check()),
  ];
  return { scenario: 'creates in groups', size: `${creates} creates`, violations, slowest: history.slowest() };
}

async function deadlocksOf(deployment: Deployment): Promise<number> {
  const [row] = await deployment.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row!.deadlocks);
}
