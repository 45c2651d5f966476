import { atOnce } from '../at-once.js';
import type { Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { RECOVERY } from '../limits.js';
import { kill, untilBooking } from './crashes.js';
import type { Figures } from './figures.js';

/** An absent database is down when a replica starts; a hung database keeps its connections open. */
export const OUTAGES = ['absent', 'down', 'hung'] as const;

/** More callers than the service has connections, so that creates queue. */
const CALLERS = 16;

/** Expects a 503 in time for every call during an outage, and recovery after the outage. */
export async function outages(
  deployment: Deployment,
  outage: (typeof OUTAGES)[number],
  times: number,
): Promise<Figures> {
  const { postgres, proxy, replicas } = deployment;
  const violations: Violations = [];
  let recovery = 0;
  for (let number = 1; number <= times; number++) {
    // Connections that the previous outage broke fail now, before the next outage.
    await untilBooking(deployment);
    if (outage === 'absent') await kill(replicas[0]!);
    if (outage === 'hung') proxy.hang();
    else await postgres.stop();
    if (outage === 'absent') await replicas[0]!.restart();
    violations.push(...(await probe(deployment)));
    if (outage === 'hung') proxy.goOn();
    else await postgres.restart();
    recovery = Math.max(recovery, await untilBooking(deployment), await deployment.untilReady());
  }
  return { size: `${times}`, violations, recovery };
}

/** Calls every operation at once. The checks see whether each 503 is a problem with `Retry-After`. */
async function probe({ client, urls, history }: Deployment): Promise<Violations> {
  const url = urls[0]!;
  const { bookingId } = history.acknowledged.at(-1)!;
  const [live, get, list, creates] = await Promise.all([
    client.send(url, { target: '/health/live' }),
    client.get(url, bookingId),
    client.list(url, 'outage'),
    atOnce(CALLERS, (index) => client.create(url, newPayload(slotAt('outage', index)))),
  ]);
  const wrong = [get, list, ...creates].flatMap(({ response, invoked, completed }) => {
    const duration = completed - invoked;
    if (response?.status === 503 && duration <= RECOVERY) return [];
    return [`Outage: ${response?.method} has the response ${response?.status} after ${duration} ms.`];
  });
  return live?.status === 200 ? wrong : [...wrong, `Outage: /health/live is ${live?.status}.`];
}
