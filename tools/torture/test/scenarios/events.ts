import { setTimeout as sleep } from 'node:timers/promises';
import { aSecret, Receiver, until, webhookSettings } from 'testing';
import { atOnce } from '../at-once.js';
import { checkEvents, type Deletion } from '../checks/check-events.js';
import type { KeptBooking } from '../checks/history.js';
import { type Bench, Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { crash } from './crashes.js';
import type { Figures } from './figures.js';

const CLIENTS = 24;
/** Milliseconds between two attempts at a create whose outcome is unknown. */
const RETRY_WAIT = 100;

/** Maximum events that one crash may repeat at an endpoint: in flight, or acknowledged but not yet recorded as such. */
const REPEATED_BY_A_CRASH = 32;

/** One booking in this many is deleted. */
const BOOKINGS_PER_DELETION = 10;
/** Milliseconds until a deletion: at once, or when the event of the booking has probably been delivered. */
const DELETION_DELAYS = [0, 200];

/** A flaky endpoint rejects one delivery in this many, and closes the connection of another. */
const DELIVERIES_PER_FAULT = 500;

/** Books and deletes, with a steady and a flaky endpoint, through kills of replicas and crashes of PostgreSQL. */
export async function eventsThroughCrashes(
  bench: Bench,
  bookings: number,
  kills: number,
  crashes: number,
): Promise<Figures> {
  const receivers = [await Receiver.start(), await flakyReceiver(bench)];
  const secrets = [aSecret()];
  const endpoints = receivers.map(({ url }, index) => ({ name: `e-${index}`, url, secrets }));
  const env = { ...webhookSettings(...endpoints), WEBHOOKS_TIMEOUT_MS: '1000' };
  const deployment = await Deployment.start(bench, 2, env);
  try {
    const deletions: Deletion[] = [];
    let created = 0;
    let left = kills + crashes;
    const isDone = (): boolean => left === 0 && created >= bookings;
    const booking = book(deployment, isDone, async (id) => {
      created++;
      if (bench.random.below(BOOKINGS_PER_DELETION) > 0) return;
      await sleep(bench.random.pick(DELETION_DELAYS));
      deletions.push(await deleteBooking(deployment, id));
    });
    for (let crashed = 0; left > 0; left--) {
      await sleep(150 + bench.random.below(300));
      const isOfDatabase = bench.random.below(left) < crashes - crashed;
      if (!isOfDatabase) await crash(deployment, 'replica');
      else await crash(deployment, crashed++ % 2 === 0 ? 'SIGQUIT' : 'SIGKILL');
      await deployment.untilReady();
    }
    await booking;
    // Deliveries that a killed process had claimed are tried again after 11 s.
    await until(async () => (await deployment.query('SELECT FROM webhook_deliveries LIMIT 1')).length === 0);
    // Connections to a killed replica would fail.
    deployment.client.close();
    const violations = await deployment.check(deletions.map(({ row }) => row));
    const rows = await deployment.rows();
    violations.push(...receivers.flatMap((receiver) => checkEvents(receiver, rows, deletions)));
    const repeated = receivers.map(
      ({ accepted }) => accepted.length - new Set(accepted.map(({ event }) => event.id)).size,
    );
    if (Math.max(...repeated) > (kills + crashes) * REPEATED_BY_A_CRASH)
      violations.push(`E3: ${repeated.join(' and ')} events were delivered twice.`);
    const booked = deployment.history.acknowledged.length;
    const size = `${booked} bookings, ${deletions.length} deleted, ${kills} kills, ${crashes} crashes, ${repeated.join(' and ')} twice`;
    return { size, violations };
  } finally {
    await deployment.stop();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  }
}

async function flakyReceiver({ random }: Bench): Promise<Receiver> {
  const receiver = await Receiver.start();
  receiver.behaviour = (_, response, { socket }) => {
    const chance = random.below(DELIVERIES_PER_FAULT);
    if (chance === 0) socket.destroy();
    else response.writeHead(chance === 1 ? 503 : 204).end();
  };
  return receiver;
}

/** Books slot after slot, and every fourth booking without a slot. Calls `created` if the first attempt is a 201. */
async function book(
  { client, urls, bench }: Deployment,
  isDone: () => boolean,
  created: (id: string) => Promise<void>,
): Promise<void> {
  await atOnce(CLIENTS, async (writer) => {
    for (let number = 0; !isDone(); number++) {
      const payload = newPayload(number % 4 === 3 ? undefined : slotAt(`events ${writer}`, number));
      const create = () => client.create(bench.random.pick(urls), payload, `events-${writer}-${number}`);
      let call = await create();
      if (call.outcome === 'created') await created(call.bookingId!);
      for (; call.outcome === 'unknown' || call.outcome === 'unavailable'; call = await create())
        await sleep(RETRY_WAIT);
    }
  });
}

/** Deletes a booking by SQL, like an operator, even while the database crashes. */
async function deleteBooking(deployment: Deployment, id: string): Promise<Deletion> {
  const kept: KeptBooking[] = [];
  await until(async () => kept.push(...(await deployment.rows(id))) > 0);
  await until(() => deployment.query('DELETE FROM bookings WHERE booking_id = $1', [id]).then(() => true));
  return { row: kept[0]!, completed: performance.now() };
}
