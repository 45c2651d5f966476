import type { Deployment } from '../deployment/deployment.js';
import type { Figures } from './figures.js';
import { newPayload, slotAt } from '../deployment/workload.js';

/** One create sent many times at once with one key: every client gets the same response. */
export async function oneKey(deployment: Deployment, keys: number, times: number): Promise<Figures> {
  await deployment.clear();
  const { client, urls, history } = deployment;
  const violations: string[] = [];
  for (let number = 0; number < keys; number++) {
    const payload = newPayload(number % 4 === 0 ? undefined : slotAt(`duplicates ${number}`, 9));
    const calls = await Promise.all(
      Array.from({ length: times }, (_, index) => client.create(urls[index % urls.length]!, payload, `one-${number}`)),
    );
    const created = calls.filter(({ outcome }) => outcome === 'created').length;
    const replayed = calls.filter(({ outcome }) => outcome === 'replayed').length;
    if (created !== 1 || replayed !== times - 1) {
      violations.push(`Key ${number}: ${created} responses were new and ${replayed} of ${times} were replays.`);
    }
  }
  violations.push(...(await deployment.check()));
  return { size: `${keys} keys x ${times}`, violations, slowest: history.slowest() };
}

/** Several payloads at once with one key: one of them is booked, the others are rejected with 422. */
export async function alteredPayloads(deployment: Deployment, keys: number): Promise<Figures> {
  await deployment.clear();
  const { client, urls, history } = deployment;
  const violations: string[] = [];
  for (let number = 0; number < keys; number++) {
    const payloads = [9, 11, 9].map((hour) => newPayload(slotAt(`altered ${number}`, hour)));
    const calls = await Promise.all(
      [...payloads, ...payloads].map((payload, index) =>
        client.create(urls[index % urls.length]!, payload, `altered-${number}`),
      ),
    );
    const late = await client.create(urls[number % urls.length]!, newPayload(), `altered-${number}`);
    const outcomes = calls.map(({ outcome }) => outcome).toSorted();
    if (outcomes.filter((outcome) => outcome === 'created').length !== 1 || late.outcome !== 'key-reused') {
      violations.push(
        `Key ${number} with three payloads has the response ${outcomes.join(', ')} and then ${late.outcome}.`,
      );
    }
  }
  violations.push(...(await deployment.check()));
  return { size: `${keys} keys x 7`, violations, slowest: history.slowest() };
}
