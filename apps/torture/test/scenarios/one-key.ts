import { isAcknowledged } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import type { Figures } from './figures.js';
import { newPayload, slotAt } from '../deployment/workload.js';

/**
 * One key many times at once, half of the keys with one payload and half with three: one of them is booked, all of its
 * clients get the same response, and another payload is rejected with 422 from then on.
 */
export async function oneKey(deployment: Deployment, keys: number, times: number): Promise<Figures> {
  await deployment.clear();
  const { client, urls, history } = deployment;
  const violations: string[] = [];
  for (let number = 0; number < keys; number++) {
    const hours = number % 2 === 0 ? [9] : [9, 11, 9];
    const payloads = hours.map((hour) => newPayload(number % 4 === 0 ? undefined : slotAt(`one key ${number}`, hour)));
    const calls = await Promise.all(
      Array.from({ length: times }, (_, index) =>
        client.create(urls[index % urls.length]!, payloads[index % payloads.length]!, `one-${number}`),
      ),
    );
    const late = await client.create(urls[number % urls.length]!, newPayload(), `one-${number}`);
    const booked = calls.find(({ outcome }) => outcome === 'created')?.payload;
    const isKept =
      calls.filter(({ outcome }) => outcome === 'created').length === 1 &&
      calls.every((call) => isAcknowledged(call) === (call.payload === booked)) &&
      late.outcome === 'key-reused';
    if (!isKept) {
      const outcomes = calls.map(({ outcome }) => outcome).toSorted();
      violations.push(`Key ${number} has the responses ${outcomes.join(', ')} and then ${late.outcome}.`);
    }
  }
  violations.push(...(await deployment.check()));
  return { size: `${keys} keys x ${times}`, violations, slowest: history.slowest() };
}
