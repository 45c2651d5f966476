import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from './deployment.js';
import type { ReceivedResponse } from 'testing/contract';
import { type CreateCall, isAcknowledged, type Payload } from '../checks/history.js';
import type { Random } from '../random.js';

/** Operations after which the clients move to other resources: most slots of the old ones are taken by then. */
const OPERATIONS_OF_AN_ERA = 400;
const RESOURCES = 4;
/** Hours of the one day in which all slots lie, so that nearly any two of them overlap. */
const HOURS = 24;
const DAY = Date.parse('2026-12-01T00:00:00.000Z');
/** The latest creates, which are sent again, altered and read. */
const REMEMBERED = 60;
/** Attempts at a create whose outcome is unknown, and the longest pause between two, in milliseconds. */
const MAX_ATTEMPTS = 60;
const RETRY_WAIT = 150;

let requests = 0;

/** A payload that was not sent before. */
export function newPayload(slot?: Payload['slot']): Payload {
  const request = `request ${++requests}`;
  return { request, ...(slot && { slot }), note: 'Zoë ☕ 😀' };
}

export function slotAt(resourceId: string, hour: number, hours = 1): NonNullable<Payload['slot']> {
  return { resource_id: resourceId, start: instantAt(hour), end: instantAt(hour + hours) };
}

function instantAt(hour: number): string {
  return new Date(DAY + hour * 3_600_000).toISOString();
}

/** Many clients that book, retry, repeat, alter, read and list, over few resources and a coarse grid. */
export class Workload {
  operations = 0;
  private readonly random: Random;
  private readonly remembered: CreateCall[] = [];

  /** @param urls where calls go: the replicas, or proxies in front of them */
  constructor(
    private readonly deployment: Deployment,
    private readonly urls: readonly string[] = deployment.urls,
  ) {
    this.random = deployment.bench.random;
  }

  /** Makes this number of operations. */
  run(clients: number, operations: number): Promise<void> {
    const end = this.operations + operations;
    return this.work(clients, () => this.operations >= end);
  }

  /** Makes operations as long as `work` runs. */
  async during(clients: number, work: () => Promise<void>): Promise<void> {
    let isDone = false;
    const working = this.work(clients, () => isDone);
    await work().finally(() => (isDone = true));
    await working;
  }

  private async work(clients: number, isDone: () => boolean): Promise<void> {
    const oneClient = async (): Promise<void> => {
      while (!isDone()) {
        this.operations++;
        await this.operate();
      }
    };
    await Promise.all(Array.from({ length: clients }, oneClient));
  }

  private async operate(): Promise<void> {
    const { random } = this;
    const { client } = this.deployment;
    const known = this.remembered.length > 0 ? random.pick(this.remembered) : undefined;
    const dice = random.next();
    if (known?.key !== undefined && dice < 0.14) return this.create(known.payload, known.key);
    if (known?.key !== undefined && dice < 0.2) return this.create(newPayload(this.randomSlot()), known.key);
    if (known?.response !== undefined && isAcknowledged(known) && dice < 0.36) {
      const { booking_id } = JSON.parse(known.response.text) as { booking_id: string };
      return this.pauseIfOpen(await client.get(random.pick(this.urls), booking_id));
    }
    if (dice < 0.5) {
      const hour = random.below(HOURS);
      const window = random.chance(0.5) ? { from: instantAt(hour), to: instantAt(hour + 4) } : undefined;
      return this.pauseIfOpen(await client.list(random.pick(this.urls), this.randomResource(), window));
    }
    const key = random.chance(0.75) ? `key-${requests}-${random.below(2 ** 31)}` : undefined;
    return this.create(newPayload(random.chance(0.95) ? this.randomSlot() : undefined), key);
  }

  /** Repeats a create with a key until its outcome is known, like a careful client. */
  private async create(payload: Payload, key: string | undefined): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const calling = this.deployment.client.create(this.random.pick(this.urls), payload, key);
      if (attempt === 1) this.remember();
      const call = await calling;
      await this.pauseIfOpen(call);
      if (!isOpen(call) || key === undefined) return;
    }
  }

  /** Pauses after a failure: otherwise clients would keep the machine busy with failures. */
  private async pauseIfOpen(call: { response?: ReceivedResponse }): Promise<void> {
    if (isOpen(call)) await sleep(this.random.below(RETRY_WAIT));
  }

  /** Keeps the create that was just begun, which is repeated and altered while it still runs, too. */
  private remember(): void {
    this.remembered.push(this.deployment.history.creates.at(-1)!);
    if (this.remembered.length > REMEMBERED) this.remembered.shift();
  }

  private randomResource(): string {
    return `room ${Math.floor(this.operations / OPERATIONS_OF_AN_ERA)}.${this.random.below(RESOURCES)}`;
  }

  private randomSlot(): NonNullable<Payload['slot']> {
    return slotAt(this.randomResource(), this.random.below(HOURS), 1 + this.random.below(3));
  }
}

/** Whether a call has to be repeated before its outcome is known. */
function isOpen({ response }: { response?: ReceivedResponse }): boolean {
  return response === undefined || response.status === 503;
}
