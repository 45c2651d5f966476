import { isAcknowledged, type Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { limitOf } from '../limits.js';
import type { Figures } from './figures.js';

/** Milliseconds; statements that wait for each other take seconds. */
const SLOWEST = limitOf(1_000);

/** Many clients book one slot at the same time, round after round: one gets it, and the others are rejected at once. */
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
  const slowest = deployment.history.slowest();
  if (slowest >= SLOWEST) violations.push(`The slowest of ${clients} clients waited ${slowest.toFixed(0)} ms.`);
  return { size: `${rounds} rounds x ${clients} clients`, violations };
}
