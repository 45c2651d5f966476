import { isAcknowledged, type Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import type { Figures } from './figures.js';

/** Maximum milliseconds of a response: statements that wait for each other would take seconds. */
const SLOWEST = 1_000;

/** Clients book one slot at once, round after round: one gets it, and the others are rejected without waiting. */
export async function oneWindow(deployment: Deployment, rounds: number, clients: number): Promise<Figures> {
  const violations: Violations = [];
  for (let round = 0; round < rounds; round++) {
    const slot = slotAt(`window ${round}`, round % 24);
    const calls = await deployment.createAtOnce(clients, () => newPayload(slot));
    const winners = calls.filter(isAcknowledged).length;
    const losers = calls.filter(({ outcome }) => outcome === 'slot-taken').length;
    if (winners !== 1 || losers !== clients - 1)
      violations.push(`Round ${round}: ${winners} clients got the window and ${losers} were rejected.`);
  }
  const { slowest } = deployment.history;
  if (slowest >= SLOWEST) violations.push(`The slowest of ${clients} clients waited ${slowest.toFixed(0)} ms.`);
  return { size: `${rounds} rounds x ${clients} clients`, violations };
}

/** Clients send one key at once, half of the keys with three payloads: one is booked, and the others are 422. */
export async function oneKey(deployment: Deployment, keys: number, clients: number): Promise<Figures> {
  const violations: Violations = [];
  for (let number = 0; number < keys; number++) {
    const key = `one-${number}`;
    const hours = number % 2 === 0 ? [9] : [9, 11, 9];
    const payloads = hours.map((hour) => newPayload(number % 4 === 0 ? undefined : slotAt(key, hour)));
    const calls = await deployment.createAtOnce(clients, (index) => payloads[index % payloads.length]!, key);
    const late = await deployment.client.create(deployment.url(number), newPayload(), key);
    const created = calls.filter(({ outcome }) => outcome === 'created');
    const isKept = calls.every((call) => isAcknowledged(call) === (call.payload === created[0]?.payload));
    if (created.length === 1 && isKept && late.outcome === 'key-reused') continue;
    const outcomes = calls.map(({ outcome }) => outcome).toSorted();
    violations.push(`Key ${number} has the responses ${outcomes.join(', ')} and then ${late.outcome}.`);
  }
  return { size: `${keys} keys x ${clients}`, violations };
}
