import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../checks/violations.js';
import { SERVICE_ROLE } from '../deployment/crashable-postgres.js';
import type { Deployment } from '../deployment/deployment.js';
import { checkRecovery, type Figures, RECOVERY_BOUND } from './figures.js';
import type { ReceivedResponse } from '../checks/history.js';
import { untilReady } from '../deployment/replica.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { untilBooking } from './crashes.js';

/** Ways in which a database is unavailable. Each makes it so, and resolves with a function that ends it. */
const WAYS = {
  absent: async ({ bench, replicas }: Deployment) => {
    await replicas[0]!.kill();
    await bench.postgres.stop();
    await replicas[0]!.restart();
    return () => bench.postgres.startAgain();
  },
  down: async ({ bench }: Deployment) => {
    await bench.postgres.stop();
    return () => bench.postgres.startAgain();
  },
  frozen: async ({ bench }: Deployment) => {
    const goOn = await bench.postgres.freeze();
    return () => Promise.resolve(goOn());
  },
  hung: ({ proxy }: Deployment) => {
    proxy.hang();
    return Promise.resolve(() => Promise.resolve(proxy.goOn()));
  },
  full: async ({ bench: { postgres } }: Deployment) => {
    await postgres.query('postgres', `ALTER ROLE ${SERVICE_ROLE} CONNECTION LIMIT 0`);
    await postgres.cutConnections();
    return async () => void (await postgres.query('postgres', `ALTER ROLE ${SERVICE_ROLE} CONNECTION LIMIT -1`));
  },
};

export type Outage = keyof typeof WAYS;
export const OUTAGES = Object.keys(WAYS) as Outage[];

/** More than the service has connections, so that some creates are queued. */
const CALLERS = 16;

/** Milliseconds for one response of `/health/ready`, on a busy machine. */
const MAX_PROBE = 1_000;

/** While the database is away everything is rejected with 503 in time; when it is back, so is the service. */
export async function outages(deployment: Deployment, outage: Outage, times: number): Promise<Figures> {
  await deployment.clear();
  const violations: Violations = [];
  let slowest = 0;
  let recovery = 0;
  for (let number = 1; number <= times; number++) {
    const { bookingId } = await bookOne(deployment);
    const end = await WAYS[outage](deployment);
    const probed = await probe(deployment, bookingId);
    await end();
    const back = Math.max(await untilBooking(deployment), await untilReady(deployment.replicas));
    slowest = Math.max(slowest, probed.slowest);
    recovery = Math.max(recovery, back);
    violations.push(...probed.violations, ...checkRecovery(`a database that was ${outage}`, back));
    deployment.bench.say(
      `database ${outage} ${number} of ${times}: 503 after ${probed.slowest.toFixed(0)} ms, back after ${back.toFixed(0)} ms`,
    );
  }
  violations.push(...(await deployment.check()));
  return { scenario: `database ${outage}`, size: `${times}`, violations, slowest, recovery };
}

/** Calls every operation at once, and checks that the responses keep the contract. */
async function probe(deployment: Deployment, bookingId: string): Promise<{ violations: Violations; slowest: number }> {
  const { client, urls } = deployment;
  const url = urls[0]!;
  const creates = Array.from({ length: CALLERS }, (_, index) =>
    timed(
      `POST ${index}`,
      client.create(url, newPayload(slotAt('outage', index))).then(({ response }) => response),
    ),
  );
  const calls = await Promise.all([
    ...creates,
    timed(
      'GET one',
      client.get(url, bookingId).then(({ response }) => response),
    ),
    timed(
      'GET list',
      client.list(url, 'outage').then(({ response }) => response),
    ),
    timed('ready', notReady(client, url)),
    timed('live', client.send('GET', `${url}/health/live`)),
  ]);
  const violations = calls.flatMap(({ name, time, response }) => {
    const due = name === 'live' ? 200 : 503;
    if (response?.status !== due)
      return [`Outage: ${name} has the response ${response?.status}, not ${due}: ${response?.body}`];
    const isLate = time > (name === 'live' ? RECOVERY_BOUND / 2 : RECOVERY_BOUND);
    const late = isLate ? [`Outage: ${name} has its response after ${time.toFixed(0)} ms.`] : [];
    return name === 'live' ? late : [...late, ...faultsOfProblem(name, response)];
  });
  return { violations, slowest: Math.max(...calls.map(({ time }) => time)) };
}

/** The service polls its database once a second: the first responses of an outage may be 200. */
async function notReady(client: Deployment['client'], url: string): Promise<ReceivedResponse | undefined> {
  for (;;) {
    const begun = performance.now();
    const response = await client.send('GET', `${url}/health/ready`);
    if (performance.now() - begun > MAX_PROBE) throw new Error('/health/ready waits for the database.');
    if (response?.status !== 200) return response;
    await sleep(50);
  }
}

function faultsOfProblem(name: string, { headers }: ReceivedResponse): Violations {
  const isProblem =
    headers['content-type'] === 'application/problem+json' && /^\d+$/.test(headers['retry-after'] ?? '');
  return isProblem ? [] : [`Outage: ${name} has a response without a problem and Retry-After.`];
}

async function timed(
  name: string,
  pending: Promise<ReceivedResponse | undefined>,
): Promise<{ name: string; time: number; response: ReceivedResponse | undefined }> {
  const start = performance.now();
  const response = await pending;
  return { name, time: performance.now() - start, response };
}

async function bookOne({ client, urls }: Deployment): Promise<{ bookingId: string }> {
  // A connection that the previous outage cut may fail only now.
  for (let attempt = 0; attempt < 20; attempt++) {
    const { outcome, response } = await client.create(urls[0]!, newPayload());
    if (outcome === 'created') return { bookingId: (JSON.parse(response!.body) as { booking_id: string }).booking_id };
    await sleep(50);
  }
  throw new Error('The service does not book before the outage.');
}
