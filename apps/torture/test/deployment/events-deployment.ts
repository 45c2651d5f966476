import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { aSecret, type Behaviour, type Received, Receiver, respond } from 'testing';
import { checkEvents, type Deletion, duplicatesOf } from '../checks/check-events.js';
import { type Bench, Deployment, rowsOf } from './deployment.js';
import { newPayload, slotAt } from './workload.js';
import type { Violations } from '../checks/violations.js';

/** Attempts at a create whose outcome is unknown, and the longest pause between two, in milliseconds. */
const MAX_ATTEMPTS = 100;
const RETRY_WAIT = 150;

/** Milliseconds without a delivery after which no more are expected: an attempt of a killed process is repeated after 20 s. */
const SILENCE = 40_000;

let writers = 0;

/** Replicas that notify two endpoints of every booking, and of every deletion. */
export class EventsDeployment {
  private readonly deletions: Deletion[] = [];
  private readonly unverified: Violations = [];

  private constructor(
    readonly deployment: Deployment,
    readonly receivers: readonly Receiver[],
    private readonly folder: string,
    private readonly secret: string,
  ) {
    for (const receiver of receivers) this.setBehaviour(receiver, respond(204));
  }

  static async start(bench: Bench, replicas: number): Promise<EventsDeployment> {
    const receivers = [await Receiver.start(), await Receiver.start()];
    const folder = mkdtempSync(join(tmpdir(), 'bookings-events-'));
    const secret = aSecret();
    const env = { ...writeWebhooksFile(folder, receivers, secret), LOG_LEVEL: 'info' };
    return new EventsDeployment(await Deployment.start(bench, replicas, { env }), receivers, folder, secret);
  }

  /** How a receiver responds. Other implementations of both standards look at each delivery first. */
  setBehaviour(receiver: Receiver, behaviour: Behaviour): void {
    receiver.behaviour = (received, response, request) => {
      const fault = faultOf(received, this.secret);
      if (fault !== undefined) this.unverified.push(`E5: ${received.event.id}: ${fault}.`);
      behaviour(received, response, request);
    };
  }

  /**
   * Clients that book slot after slot, each on its own resource, and every fourth booking without one.
   *
   * @param created called after a 201 that is no replay; `isFirst` where no attempt before it may book yet
   */
  async book(
    clients: number,
    isDone: () => boolean,
    created: (id: string, isFirst: boolean) => Promise<void> = () => Promise.resolve(),
  ): Promise<number> {
    const { client, urls, bench } = this.deployment;
    let bookings = 0;
    const oneClient = async (): Promise<void> => {
      const writer = ++writers;
      for (let number = 0; !isDone(); number++) {
        const payload = newPayload(number % 4 === 3 ? undefined : slotAt(`events ${writer}`, number));
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
          const call = await client.create(bench.random.pick(urls), payload, `events-${writer}-${number}`);
          if (call.outcome === 'created')
            await created((JSON.parse(call.response!.body) as { booking_id: string }).booking_id, attempt === 0);
          if (call.outcome !== 'unknown' && call.outcome !== 'unavailable') break;
          await sleep(bench.random.below(RETRY_WAIT));
        }
        bookings++;
      }
    };
    await Promise.all(Array.from({ length: clients }, oneClient));
    return bookings;
  }

  /** Deletes a booking by SQL, as an operator does, also where the database stops meanwhile. */
  async delete(id: string): Promise<void> {
    const { deployment } = this;
    const [row] = await untilDone(() => rowsOf((text) => deployment.query(`${text} WHERE booking_id = '${id}'`)));
    await untilDone(() => deployment.query('DELETE FROM bookings WHERE booking_id = $1', [id]));
    this.deletions.push({ row: row!, completed: performance.now() });
  }

  /** Bookings that were deleted. */
  get deleted(): number {
    return this.deletions.length;
  }

  /** Waits until nothing is to be delivered, or deliveries have stopped. */
  async untilDelivered(silence = SILENCE): Promise<void> {
    let last = performance.now();
    for (let before = 0; performance.now() - last < silence; await sleep(100)) {
      if ((await this.deployment.query('SELECT FROM webhook_deliveries LIMIT 1')).length === 0) break;
      const all = this.receivers.reduce((sum, { received }) => sum + received.length, 0);
      if (all !== before) last = performance.now();
      before = all;
    }
    // For deliveries that would be duplicates.
    await sleep(300);
  }

  get duplicates(): number {
    return this.receivers.reduce((sum, { accepted }) => sum + duplicatesOf(accepted), 0);
  }

  async check(): Promise<Violations> {
    const { deployment, receivers } = this;
    // The next call on a connection to a replica that was killed would fail.
    deployment.client.close();
    const { deletions, unverified } = this;
    const found = await deployment.check(deletions.map(({ row }) => row));
    const rows = await deployment.rows();
    return [...unverified, ...found, ...receivers.flatMap((receiver) => checkEvents(receiver, rows, deletions))];
  }

  /** Milliseconds from the 201 of each booking to the acknowledgement of its event, ascending. */
  delays(receiver: Receiver): number[] {
    const deliveredAt = new Map(receiver.accepted.toReversed().map(({ event, at }) => [event.subject, at]));
    const delays = this.deployment.history
      .acknowledged()
      .filter(({ call, bookingId }) => call.outcome === 'created' && deliveredAt.has(bookingId))
      .map(({ bookingId, call }) => deliveredAt.get(bookingId)! - call.completed);
    return delays.toSorted((one, other) => one - other);
  }

  async stop(): Promise<void> {
    await this.deployment.stop();
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What is wrong with a delivery, to `standardwebhooks` or to `cloudevents`. */
function faultOf({ headers, body, event }: Received, secret: string): string | undefined {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    const parsed = HTTP.toEvent({ headers, body }) as CloudEvent;
    return parsed.validate() && parsed.id === event.id ? undefined : 'it is another event';
  } catch (error) {
    return (error as Error).message;
  }
}

async function untilDone<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 600) throw error;
      await sleep(50);
    }
  }
}

/** Writes a file of endpoints. @returns the environment of a service that notifies all of them of every booking */
function writeWebhooksFile(folder: string, receivers: readonly Receiver[], secret: string): Record<string, string> {
  const file = join(folder, 'webhooks.json');
  const secrets = [secret];
  const endpoints = receivers.map(({ url }, index) => ({ name: `endpoint-${index}`, url, secrets, from: 'now' }));
  writeFileSync(file, JSON.stringify({ endpoints }));
  return { WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
}
