import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aSecret, Receiver } from 'testing';
import { checkEvents, duplicatesOf } from '../checks/check-events.js';
import { type Bench, Deployment } from './deployment.js';
import { newPayload, slotAt } from './workload.js';
import type { Violations } from '../checks/violations.js';

/** Tries of a create whose outcome is open, and the longest wait between two, in milliseconds. */
const MAX_TRIES = 100;
const RETRY_WAIT = 150;

/** Milliseconds without a further event after which none is waited for. */
const SILENCE = 15_000;

let writers = 0;

/** Replicas that tell two receivers of every booking. */
export class EventsDeployment {
  private constructor(
    readonly deployment: Deployment,
    readonly receivers: readonly Receiver[],
    private readonly folder: string,
  ) {}

  static async start(bench: Bench, replicas: number): Promise<EventsDeployment> {
    const receivers = [await Receiver.start(), await Receiver.start()];
    const folder = mkdtempSync(join(tmpdir(), 'bookings-told-'));
    const env = { ...writeWebhooksFile(folder, receivers), LOG_LEVEL: 'info' };
    return new EventsDeployment(await Deployment.start(bench, replicas, { env }), receivers, folder);
  }

  /**
   * Clients that book, each one slot after the other on a resource of its own, and every fourth one without a slot.
   *
   * @param created called when a booking was made, and not when it was found to be
   */
  async book(
    clients: number,
    isDone: () => boolean,
    created: (id: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<number> {
    const { client, urls, bench } = this.deployment;
    let bookings = 0;
    const oneClient = async (): Promise<void> => {
      const writer = ++writers;
      for (let number = 0; !isDone(); number++) {
        const payload = newPayload(number % 4 === 3 ? undefined : slotAt(`told ${writer}`, number));
        for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
          const call = await client.create(bench.random.pick(urls), payload, `told-${writer}-${number}`);
          if (call.outcome === 'created')
            await created((JSON.parse(call.response!.body) as { booking_id: string }).booking_id);
          if (call.outcome !== 'unknown' && call.outcome !== 'unavailable') break;
          await sleep(bench.random.below(RETRY_WAIT));
        }
        bookings++;
      }
    };
    await Promise.all(Array.from({ length: clients }, oneClient));
    return bookings;
  }

  /** Waits until every booking was told, or nothing is told any more. */
  async untilDelivered(silence = SILENCE): Promise<void> {
    const wanted = (await this.deployment.rows()).length;
    let last = performance.now();
    for (let before = 0; performance.now() - last < silence; await sleep(25)) {
      const told = this.receivers.map(({ accepted }) => new Set(accepted.map(({ event }) => event.id)).size);
      if (told.every((count) => count >= wanted)) break;
      const all = this.receivers.reduce((sum, { received }) => sum + received.length, 0);
      if (all !== before) last = performance.now();
      before = all;
    }
    // What would come twice.
    await sleep(300);
  }

  get duplicates(): number {
    return duplicatesOf(this.receivers.map(({ accepted }) => accepted));
  }

  async check(): Promise<Violations> {
    const { deployment, receivers } = this;
    // A connection to a replica that was killed meanwhile fails the call that uses it next.
    deployment.client.close();
    const told = receivers.map(({ accepted }) => accepted);
    return [...(await deployment.check()), ...checkEvents(told, await deployment.rows(), deployment.history)];
  }

  /** Milliseconds from each acknowledgement of a booking to that of its event, in ascending order. */
  delays(receiver: Receiver): number[] {
    const told = new Map(receiver.accepted.toReversed().map(({ event, at }) => [event.subject, at]));
    const delays = this.deployment.history
      .acknowledged()
      .filter(({ call, bookingId }) => call.outcome === 'created' && told.has(bookingId))
      .map(({ bookingId, call }) => told.get(bookingId)! - call.completed);
    return delays.toSorted((one, other) => one - other);
  }

  async stop(): Promise<void> {
    await this.deployment.stop();
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Writes the file of the endpoints. @returns the variables of a service that delivers every booking to all of them */
export function writeWebhooksFile(folder: string, receivers: readonly Receiver[]): Record<string, string> {
  const file = join(folder, 'webhooks.json');
  const secrets = [aSecret()];
  const endpoints = receivers.map(({ url }, index) => ({ name: `endpoint-${index}`, url, secrets, from: 'first' }));
  writeFileSync(file, JSON.stringify({ endpoints }));
  return { WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
}
