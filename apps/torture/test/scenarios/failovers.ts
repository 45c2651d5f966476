import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from 'testing';
import { checkAll } from '../checks/check-all.js';
import { History } from '../checks/history.js';
import { type Bench, rowsOf } from '../deployment/deployment.js';
import { RecordingClient } from '../deployment/recording-client.js';
import { Replica, untilReady } from '../deployment/replica.js';
import { ReplicatedPostgres } from '../deployment/replicated-postgres.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { checkRecovery, type Figures } from './figures.js';

const WRITERS = 16;
/** Milliseconds for which an early forwarder leads to a server that is still a standby. */
const EARLY = 3_000;

interface Found {
  readonly acknowledged: number;
  readonly violations: readonly string[];
  /** Milliseconds. */
  readonly recovery: number;
  readonly slowest: number;
}

/**
 * The primary is killed while clients book and read, its synchronous standby is promoted, and a forwarder leads to it:
 * once it is promoted, or already before. Nothing is lost, and no get is 404 after its 201.
 */
export async function failovers(bench: Bench, times: number, forwarder: 'on time' | 'early'): Promise<Figures> {
  const found = { acknowledged: 0, violations: [] as string[], recovery: 0, slowest: 0 };
  for (let number = 1; number <= times; number++) {
    const { acknowledged, violations, recovery, slowest } = await failOverOnce(forwarder);
    found.acknowledged += acknowledged;
    found.violations.push(...violations, ...checkRecovery('a promotion', recovery));
    found.recovery = Math.max(found.recovery, recovery);
    found.slowest = Math.max(found.slowest, slowest);
    bench.say(`failover ${number} of ${times}: first create ${recovery.toFixed(0)} ms after the promotion`);
  }
  const { acknowledged, ...figures } = found;
  return { scenario: `failover, forwarder ${forwarder}`, size: `${times}, ${acknowledged} acknowledged`, ...figures };
}

async function failOverOnce(forwarder: 'on time' | 'early'): Promise<Found> {
  const cluster = await ReplicatedPostgres.start();
  const proxy = await TcpProxy.start(cluster.primary.port);
  const replicas: Replica[] = [];
  const history = new History();
  const client = new RecordingClient(history);
  const over = new AbortController();
  const write = async (writer: number): Promise<void> => {
    for (let number = 0; !over.signal.aborted; number++) {
      const { url } = replicas[number % replicas.length]!;
      const { outcome, response } = await client.create(url, newPayload(slotAt(`failover ${writer}`, number)));
      if (outcome !== 'created') await sleep(20);
      else await client.get(url, (JSON.parse(response!.body) as { booking_id: string }).booking_id);
    }
  };
  const readFirst = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const first = history.acknowledged()[0]?.bookingId;
      if (first !== undefined) await client.get(replicas[0]!.url, first);
      await sleep(5);
    }
  };
  try {
    for (let index = 0; index < 2; index++) {
      replicas.push(await Replica.start({ DATABASE_URL: cluster.url(proxy.port) }));
    }
    await untilReady(replicas);
    const working = Promise.all([readFirst(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);
    await sleep(700);
    await cluster.primary.stop('SIGQUIT');
    if (forwarder === 'early') {
      proxy.leadTo(cluster.standby.port);
      await sleep(EARLY);
    }
    await cluster.promote();
    const promoted = performance.now();
    if (forwarder === 'on time') proxy.leadTo(cluster.standby.port);
    const isFound = (): boolean =>
      history.creates.some(({ outcome, invoked }) => outcome === 'created' && invoked > promoted);
    while (!isFound() && performance.now() - promoted < 60_000) await sleep(10);
    const recovery = performance.now() - promoted;
    await sleep(300);
    over.abort();
    await working;
    const rows = await rowsOf((text) => cluster.query(text));
    const calls = [...history.creates, ...history.gets].map(({ invoked, completed }) => completed - invoked);
    return {
      violations: [...replicas.flatMap(({ faults }) => faults), ...checkAll(history, rows)],
      recovery,
      slowest: Math.max(...calls.filter(Number.isFinite)),
      acknowledged: history.acknowledged().length,
    };
  } finally {
    client.close();
    await Promise.all(replicas.map((replica) => replica.stop(2_000).catch(() => {})));
    proxy.close();
    await cluster.remove();
  }
}
