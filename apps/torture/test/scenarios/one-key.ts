import { isAcknowledged, type Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import type { Figures } from './figures.js';

/**
 * One key many times at once, half of the keys with one payload and half with three: one of them is booked, all of its
 * clients get the same response, and another payload is rejected with 422 from then on.
 */
export async function oneKey(deployment: Deployment, keys: number, times: number): Promise<Figures> {
  const violations: Violations = [];
  for (let number = 0; number < keys; number++) {
    const key = `one-${number}`;
    const hours = number % 2 === 0 ? [9] : [9, 11, 9];
    const payloads = hours.map((hour) => newPayload(number % 4 === 0 ? undefined : slotAt(key, hour)));
    const calls = await deployment.createAtOnce(times, (index) => payloads[index % payloads.length]!, key);
    const late = await deployment.client.create(deployment.url(number), newPayload(), key);
    const created = calls.filter(({ outcome }) => outcome === 'created');
    const isKept = calls.every((call) => isAcknowledged(call) === (call.payload === created[0]?.payload));
    if (created.length === 1 && isKept && late.outcome === 'key-reused') continue;
    const outcomes = calls.map(({ outcome }) => outcome).toSorted();
    violations.push(`Key ${number} has the responses ${outcomes.join(', ')} and then ${late.outcome}.`);
  }
  return { size: `${keys} keys x ${times}`, violations };
}
