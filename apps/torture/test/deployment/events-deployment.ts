import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aSecret, Receiver, until } from 'testing';
import { checkEvents, type Deletion } from '../checks/check-events.js';
import type { KeptBooking, Violations } from '../checks/history.js';
import { type Bench, Deployment } from './deployment.js';
import { newPayload, slotAt } from './workload.js';

/** Milliseconds between two attempts at what has no outcome yet. */
const RETRY_WAIT = 100;

/** Replicas that notify two endpoints of every booking and of every deletion. */
export class EventsDeployment {
  readonly deletions: Deletion[] = [];

  private constructor(
    readonly deployment: Deployment,
    readonly receivers: readonly [Receiver, Receiver],
    private readonly folder: string,
  ) {}

  static async start(bench: Bench, replicas: number): Promise<EventsDeployment> {
    const receivers = [await Receiver.start(), await Receiver.start()] as const;
    const folder = mkdtempSync(join(tmpdir(), 'bookings-events-'));
    const secrets = [aSecret()];
    const endpoints = receivers.map(({ url }, index) => ({ name: `e-${index}`, url, secrets, from: 'now' }));
    const file = join(folder, 'webhooks.json');
    writeFileSync(file, JSON.stringify({ endpoints }));
    const env = { WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true', WEBHOOKS_TIMEOUT_MS: '1000' };
    return new EventsDeployment(await Deployment.start(bench, replicas, env), receivers, folder);
  }

  /**
   * Clients that book slot after slot, each on its own resource, and every fourth booking without one.
   *
   * @param created called after a 201 that no other attempt may follow
   */
  async book(clients: number, isDone: () => boolean, created: (id: string) => Promise<void>): Promise<void> {
    const { client, urls, bench } = this.deployment;
    const oneClient = async (_: unknown, writer: number): Promise<void> => {
      for (let number = 0; !isDone(); number++) {
        const payload = newPayload(number % 4 === 3 ? undefined : slotAt(`events ${writer}`, number));
        const create = () => client.create(bench.random.pick(urls), payload, `events-${writer}-${number}`);
        let call = await create();
        const isFirst = call.outcome === 'created';
        for (; call.outcome === 'unknown' || call.outcome === 'unavailable'; call = await create())
          await sleep(RETRY_WAIT);
        if (isFirst) await created((JSON.parse(call.response!.text) as { booking_id: string }).booking_id);
      }
    };
    await Promise.all(Array.from({ length: clients }, oneClient));
  }

  /** Deletes a booking by SQL, as an operator does, also where the database stops meanwhile. */
  async delete(id: string): Promise<void> {
    const { deployment } = this;
    const kept: KeptBooking[] = [];
    await until(async () => kept.push(...(await deployment.rows(id))) > 0);
    await until(() => deployment.query('DELETE FROM bookings WHERE booking_id = $1', [id]).then(() => true));
    this.deletions.push({ row: kept[0]!, completed: performance.now() });
  }

  /** Waits until nothing is to be delivered, and looks at all that was. */
  async check(): Promise<Violations> {
    const { deployment, deletions, receivers } = this;
    // What a killed process had claimed comes again after 11 s.
    await until(async () => (await deployment.query('SELECT FROM webhook_deliveries LIMIT 1')).length === 0);
    // The next call on a connection to a replica that was killed would fail.
    deployment.client.close();
    const found = await deployment.check(deletions.map(({ row }) => row));
    const rows = await deployment.rows();
    return [...found, ...receivers.flatMap((receiver) => checkEvents(receiver, rows, deletions))];
  }

  async stop(): Promise<void> {
    await this.deployment.stop();
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
