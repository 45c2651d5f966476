import { setTimeout as sleep } from 'node:timers/promises';
import { checkAll } from '../checks/check-all.js';
import { type Bench, rowsOf } from '../deployment/deployment.js';
import { checkRecovery, type Figures } from './figures.js';
import { History, isAcknowledged } from '../checks/history.js';
import { RecordingClient } from '../deployment/recording-client.js';
import { ReplicatedPostgres } from '../deployment/replicated-postgres.js';
import { Replica, untilReady } from '../deployment/replica.js';
import { newPayload, slotAt } from '../deployment/workload.js';

const REPLICAS = 3;
/** `DATABASE_POOL_SIZE` of each. */
const POOL_SIZE = 8;
const WRITERS = 48;
const READERS = 6;
/** Milliseconds in which creates that were in flight when the standbys stopped are acknowledged. */
const UNDER_WAY = 250;

/** Both standbys of a primary whose commits wait for one of them are stopped for a while: creates wait, reads do not. */
export async function standbysAway(bench: Bench, milliseconds: number): Promise<Figures> {
  const cluster = await ReplicatedPostgres.start(true);
  const history = new History();
  const client = new RecordingClient(history);
  const replicas: Replica[] = [];
  const violations: string[] = [];
  try {
    const urls = await startReplicas(replicas, { DATABASE_URL: cluster.url, DATABASE_POOL_SIZE: String(POOL_SIZE) });
    const known = await client.create(urls[0]!, newPayload(slotAt('known', 0)));
    const { booking_id } = JSON.parse(known.response!.body) as { booking_id: string };
    const over = new AbortController();
    const working = bookAndRead(client, urls, booking_id, over.signal);
    const counting = mostConnections(cluster, over.signal);
    await sleep(1_000);
    await cluster.stopStandbys();
    const away = performance.now();
    await sleep(milliseconds);
    const back = performance.now();
    await cluster.startStandbys();
    const isAcknowledgedAgain = (): boolean =>
      history.creates.some((call) => isAcknowledged(call) && call.completed > back);
    while (!isAcknowledgedAgain() && performance.now() - back < 15_000) await sleep(10);
    const recovery = performance.now() - back;
    over.abort();
    await working;
    const connections = await counting;

    const meanwhile = history.creates.filter(
      (call) => isAcknowledged(call) && call.completed > away + UNDER_WAY && call.completed < back,
    );
    if (meanwhile.length > 0) violations.push(`Standbys: ${meanwhile.length} creates were acknowledged without one.`);
    const reads = [...history.gets, ...history.lists];
    const failed = reads.filter(({ response }) => response?.status !== 200);
    if (failed.length > 0) violations.push(`Standbys: ${failed.length} of ${reads.length} reads failed.`);
    if (connections > REPLICAS * POOL_SIZE) violations.push(`Standbys: ${connections} connections to the primary.`);
    violations.push(...checkRecovery('its standbys are back', recovery), ...replicas.flatMap(({ faults }) => faults));
    violations.push(...checkAll(history, await rowsOf((text) => cluster.query(text))));
    const size = `${milliseconds / 1_000} s, ${reads.length} reads, ${connections} of ${REPLICAS * POOL_SIZE} connections`;
    bench.say(`standbys away for ${size}`);
    return { scenario: 'synchronous standbys away', size, violations, slowest: history.slowest(), recovery };
  } finally {
    await stopAll(client, replicas, cluster);
  }
}

/** Books slot after slot, and reads one booking and its list, on all replicas, until `over`. */
async function bookAndRead(client: RecordingClient, urls: readonly string[], bookingId: string, over: AbortSignal) {
  const write = async (writer: number): Promise<void> => {
    for (let number = 0; !over.aborted; number++) {
      const payload = newPayload(slotAt(`away ${writer}`, number));
      await client.create(urls[(writer + number) % REPLICAS]!, payload, `away-${writer}-${number}`);
      await sleep(10);
    }
  };
  const read = async (reader: number): Promise<void> => {
    for (let number = 0; !over.aborted; number++) {
      const url = urls[(reader + number) % REPLICAS]!;
      if (number % 2 === 0) await client.get(url, bookingId);
      else await client.list(url, 'known');
      await sleep(10);
    }
  };
  const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  await Promise.all([...writing, ...Array.from({ length: READERS }, (_, reader) => read(reader))]);
}

/** The most connections of the service that the primary had. */
async function mostConnections(cluster: ReplicatedPostgres, over: AbortSignal): Promise<number> {
  let most = 0;
  for (; !over.aborted; await sleep(100)) {
    const [row] = await cluster.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'booking-service'`,
    );
    most = Math.max(most, row!.count);
  }
  return most;
}

/** A get right after its create, on another replica that queries a standby first, finds the booking. */
export async function getsAfterCreates(bench: Bench, creates: number): Promise<Figures> {
  const cluster = await ReplicatedPostgres.start(true);
  const history = new History();
  const client = new RecordingClient(history);
  const replicas: Replica[] = [];
  try {
    const urls = await startReplicas(replicas, { DATABASE_URL: cluster.url, DATABASE_READ_URL: cluster.standbyUrl });
    let begun = 0;
    const write = async (): Promise<void> => {
      while (begun < creates) {
        const number = begun++;
        const { response } = await client.create(urls[number % REPLICAS]!, newPayload());
        const { booking_id } = JSON.parse(response!.body) as { booking_id: string };
        await client.get(urls[(number + 1) % REPLICAS]!, booking_id);
        if (number % 3_000 === 2_999) bench.say(`${number + 1} of ${creates} gets after their creates`);
      }
    };
    await Promise.all(Array.from({ length: READERS * 4 }, write));
    const missing = history.gets.filter(({ response }) => response?.status !== 200);
    // The statistics of a session are there a second after its last statement.
    await sleep(1_500);
    const { tried, found } = await cluster.readsOnStandby();
    const violations = [
      ...missing.map(({ bookingId, response }) => `Standbys: ${bookingId} is ${response?.status} after its create.`),
      ...(tried < creates / 2 ? [`Standbys: only ${tried} gets were tried on a standby.`] : []),
      ...replicas.flatMap(({ faults }) => faults),
      ...checkAll(history, await rowsOf((text) => cluster.query(text))),
    ];
    const size = `${history.gets.length} gets, ${tried} tried on a standby, which had ${found}`;
    return { scenario: 'get right after its create', size, violations, slowest: history.slowest() };
  } finally {
    await stopAll(client, replicas, cluster);
  }
}

async function startReplicas(replicas: Replica[], env: Record<string, string>): Promise<string[]> {
  for (let index = 0; index < REPLICAS; index++) replicas.push(await Replica.start(env));
  await untilReady(replicas);
  return replicas.map(({ url }) => url);
}

async function stopAll(client: RecordingClient, replicas: readonly Replica[], cluster: ReplicatedPostgres) {
  client.close();
  await Promise.all(replicas.map((replica) => replica.stop(2_000).catch(() => {})));
  await cluster.remove();
}
