import { setTimeout as sleep } from 'node:timers/promises';
import { type Behaviour, respond } from 'testing';
import type { Bench } from '../deployment/deployment.js';
import type { Figures } from './figures.js';
import type { Random } from '../random.js';
import { untilReady } from '../deployment/replica.js';
import { EventsDeployment } from '../deployment/events-deployment.js';

const CLIENTS = 24;

/** Events that may be delivered twice for each kill or crash and endpoint: those in flight, and those of the next statement. */
const EXPLAINED = 32;

/** Milliseconds within which 99 of 100 events have to be delivered while another endpoint is unavailable. */
const LONGEST_DELAY = 400;

export interface Crashes {
  readonly bookings: number;
  /** kill -9 of a replica. */
  readonly kills: number;
  /** Immediate stops of PostgreSQL. */
  readonly crashes: number;
  readonly clients?: number;
}

/** Of so many bookings, one is deleted: at once, or when its event was probably delivered. */
const BOOKINGS_PER_DELETION = 10;
const DELETION_DELAYS = [0, 200];

/** Of so many deliveries, a flaky endpoint rejects one, and resets another. */
const DELIVERIES_PER_FAULT = 500;

/** Replicas and the database are killed while clients book, bookings are deleted, and a steady and a flaky endpoint are notified. */
export async function eventsThroughCrashes(
  bench: Bench,
  { bookings, kills, crashes, clients = CLIENTS }: Crashes,
): Promise<Figures> {
  const events = await EventsDeployment.start(bench, 3);
  try {
    const { deployment } = events;
    const faults = Array.from({ length: kills + crashes }, (_, index) =>
      index % Math.ceil((kills + crashes) / Math.max(1, crashes)) === 1 ? 'crash' : 'kill',
    );
    let isOver = false;
    let created = 0;
    const enough = (): boolean => isOver && created >= bookings;
    const flaky = events.receivers[1]!;
    events.setBehaviour(flaky, flakyBehaviour(bench.random));
    const booking = events.book(clients, enough, async (id, isFirst) => {
      created++;
      if (!isFirst || bench.random.below(BOOKINGS_PER_DELETION) > 0) return;
      await sleep(bench.random.pick(DELETION_DELAYS));
      await events.delete(id);
    });
    for (const [number, fault] of faults.entries()) {
      await sleep(150 + bench.random.below(300));
      if (fault === 'crash') {
        await bench.postgres.stop('SIGQUIT');
        await sleep(100);
        await bench.postgres.startAgain();
      } else {
        const replica = bench.random.pick(deployment.replicas);
        await replica.kill();
        await replica.restart();
      }
      await untilReady(deployment.replicas);
      bench.say(`events: ${fault} ${number + 1} of ${faults.length}`);
    }
    isOver = true;
    await booking;
    await events.untilDelivered();
    const violations = await events.check();
    const { duplicates, deleted } = events;
    if (duplicates > faults.length * 2 * EXPLAINED) violations.push(`E3: ${duplicates} events were delivered twice.`);
    const booked = deployment.history.acknowledged().length;
    const size = `${booked} bookings, ${deleted} deleted, ${faults.length} crashes, ${duplicates} delivered twice`;
    return { scenario: 'events through crashes', size, violations };
  } finally {
    await events.stop();
  }
}

function flakyBehaviour(random: Random): Behaviour {
  return (_, response, request) => {
    const chance = random.below(DELIVERIES_PER_FAULT);
    if (chance === 0) response.writeHead(503).end();
    else if (chance === 1) request.socket.destroy();
    else response.writeHead(204).end();
  };
}

/** After an orderly stop of a replica no event is delivered twice. */
export async function eventsThroughStops(bench: Bench, stops: number): Promise<Figures> {
  const events = await EventsDeployment.start(bench, 2);
  try {
    let isOver = false;
    const booking = events.book(CLIENTS, () => isOver);
    for (let number = 0; number < stops; number++) {
      await sleep(300);
      const replica = events.deployment.replicas[number % 2]!;
      await replica.stop();
      await replica.restart();
      await untilReady(events.deployment.replicas);
    }
    isOver = true;
    const bookings = await booking;
    await events.untilDelivered();
    const violations = await events.check();
    if (events.duplicates > 0)
      violations.push(`E3: ${events.duplicates} events were delivered twice, and nothing crashed.`);
    return { scenario: 'events through SIGTERM', size: `${bookings} bookings, ${stops} stops`, violations };
  } finally {
    await events.stop();
  }
}

/** While one endpoint is unavailable the other is notified in time; once it is back, it receives everything. */
export async function endpointUnavailable(bench: Bench, seconds: number, clients: number): Promise<Figures> {
  const events = await EventsDeployment.start(bench, 3);
  try {
    const [down, up] = events.receivers as [(typeof events.receivers)[0], (typeof events.receivers)[0]];
    // It rejects, resets and hangs in turn.
    let requests = 0;
    events.setBehaviour(down, (_, response, request) => {
      requests++;
      if (requests % 3 === 1) response.writeHead(503).end();
      if (requests % 3 === 2) request.socket.destroy();
    });
    const end = performance.now() + seconds * 1_000;
    const bookings = await events.book(clients, () => performance.now() > end);
    events.setBehaviour(down, respond(200));
    await events.untilDelivered(60_000);
    const violations = await events.check();
    const delays = events.delays(up);
    const p99 = delays[Math.floor(delays.length * 0.99)] ?? Infinity;
    if (p99 > LONGEST_DELAY) violations.push(`E4: 99 percent of the events take up to ${p99.toFixed(0)} ms.`);
    const p50 = delays[Math.floor(delays.length / 2)] ?? Infinity;
    const size = `${bookings} bookings in ${seconds} s, the other notified after p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
    return { scenario: 'an endpoint unavailable', size, violations };
  } finally {
    await events.stop();
  }
}
