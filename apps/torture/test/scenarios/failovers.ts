import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Receiver } from 'testing';
import type { Bench } from '../deployment/deployment.js';
import { checkEvents } from '../checks/check-events.js';
import { checkAll } from '../checks/check-all.js';
import { rowsOf } from '../deployment/deployment.js';
import { writeWebhooksFile } from '../deployment/events-deployment.js';
import type { Figures } from './figures.js';
import { History } from '../checks/history.js';
import { RecordingClient } from '../deployment/recording-client.js';
import { Replica, untilReady } from '../deployment/replica.js';
import { ReplicatedPostgres } from '../deployment/replicated-postgres.js';
import { newPayload, slotAt } from '../deployment/workload.js';

const CLIENTS = 16;
/** Milliseconds from the promotion of a standby to the first create that is acknowledged. */
const LONGEST_SEARCH = 1_000;
/** Milliseconds without a delivery after which no more are expected. */
const SILENCE = 8_000;

/**
 * The primary of three servers is killed while clients book, and a standby takes its place. The replicas of the
 * service find it without a restart, and notify an endpoint of every booking.
 *
 * @param isSynchronous whether a commit waits for a standby; if not, bookings are lost, and the checks have to find it
 */
export async function failovers(bench: Bench, times: number, isSynchronous = true): Promise<Figures> {
  const violations: string[] = [];
  let recovery = 0;
  let acknowledged = 0;
  let lost = 0;
  for (let number = 1; number <= times; number++) {
    const found = await failOverOnce(isSynchronous);
    recovery = Math.max(recovery, found.search);
    acknowledged += found.acknowledged;
    lost += found.violations.length;
    if (isSynchronous) violations.push(...found.violations);
    if (found.search > LONGEST_SEARCH) violations.push(`Failover: no create for ${found.search.toFixed(0)} ms.`);
    bench.say(`failover ${number} of ${times}: first create ${found.search.toFixed(0)} ms after the promotion`);
  }
  if (!isSynchronous && lost === 0) violations.push('The checks do not find what asynchronous replication loses.');
  const name = isSynchronous ? 'failover' : 'sabotage: asynchronous replication';
  const size = `${times}, ${acknowledged} acknowledged${isSynchronous ? '' : `, caught ${lost} times`}`;
  return { scenario: name, size, violations, recovery };
}

async function failOverOnce(
  isSynchronous: boolean,
): Promise<{ violations: string[]; search: number; acknowledged: number }> {
  const cluster = await ReplicatedPostgres.start(isSynchronous);
  const folder = mkdtempSync(join(tmpdir(), 'failover-'));
  const receiver = await Receiver.start();
  const replicas: Replica[] = [];
  const history = new History();
  const client = new RecordingClient(history);
  try {
    const env = { DATABASE_URL: cluster.url, ...writeWebhooksFile(folder, [receiver]) };
    for (let index = 0; index < 2; index++) replicas.push(await Replica.start(env));
    await untilReady(replicas);
    const over = new AbortController();
    const write = async (writer: number): Promise<void> => {
      for (let number = 0; !over.signal.aborted; number++) {
        const payload = newPayload(slotAt(`failover ${writer}`, number));
        let isKnown = false;
        for (let attempt = 0; !isKnown && !over.signal.aborted; attempt++) {
          const { url } = replicas[(number + attempt) % replicas.length]!;
          const { outcome } = await client.create(url, payload, `failover-${writer}-${number}`);
          isKnown = outcome !== 'unavailable' && outcome !== 'unknown';
          if (!isKnown) await sleep(20);
        }
      }
    };
    const writing = Promise.all(Array.from({ length: CLIENTS }, (_, writer) => write(writer)));
    await sleep(700);
    await cluster.failOver();
    const promoted = performance.now();
    const isFound = (): boolean =>
      history.creates.some(
        ({ outcome, completed, invoked }) => outcome === 'created' && invoked > promoted && completed < Infinity,
      );
    while (!isFound() && performance.now() - promoted < 10_000) await sleep(10);
    const search = performance.now() - promoted;
    await sleep(300);
    over.abort();
    await writing;
    const rows = await rowsOf((text) => cluster.query(text));
    await untilDelivered(receiver, rows.length);
    const violations = [
      ...replicas.flatMap(({ faults }) => faults),
      ...checkAll(history, rows),
      ...checkEvents([receiver.accepted], rows, history),
    ];
    return { violations, search, acknowledged: history.acknowledged().length };
  } finally {
    client.close();
    await Promise.all(replicas.map((replica) => replica.stop(2_000).catch(() => {})));
    await receiver.close();
    await cluster.remove();
    rmSync(folder, { recursive: true });
  }
}

async function untilDelivered({ accepted }: Receiver, bookings: number): Promise<void> {
  const delivered = (): number => new Set(accepted.map(({ event }) => event.id)).size;
  let last = performance.now();
  for (let before = 0; delivered() < bookings && performance.now() - last < SILENCE; await sleep(25)) {
    if (accepted.length !== before) last = performance.now();
    before = accepted.length;
  }
}
