import { setTimeout as sleep } from 'node:timers/promises';
import { atOnce } from '../at-once.js';
import type { Call, CreateCall, Payload } from '../checks/history.js';
import type { Random } from '../random.js';
import type { Deployment } from './deployment.js';

/** Operations until the clients move to other resources, because most slots are taken. */
const OPERATIONS_OF_AN_ERA = 400;
const RESOURCES = 4;
/** Hours of the single day in which all slots begin, so that many overlap. */
const HOURS = 24;
const DAY = Date.parse('2026-12-01T00:00:00.000Z');
/** The number of latest creates that are repeated, altered and read. */
const REMEMBERED = 60;
/** Maximum attempts at a create whose outcome is unknown. */
const MAX_ATTEMPTS = 60;
/** Longest pause after such an attempt, in milliseconds. */
const RETRY_WAIT = 150;

let requests = 0;

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

/** Clients that book, retry, repeat, alter, read and list, with few resources and slots of whole hours. */
export class Workload {
  operations = 0;
  private readonly random: Random;
  private readonly remembered: CreateCall[] = [];

  constructor(
    private readonly deployment: Deployment,
    private readonly urls: readonly string[] = deployment.urls,
  ) {
    this.random = deployment.bench.random;
  }

  run(clients: number, operations: number): Promise<void> {
    const end = this.operations + operations;
    return this.work(clients, () => this.operations >= end);
  }

  async during(clients: number, work: () => Promise<unknown>): Promise<void> {
    let isDone = false;
    const working = this.work(clients, () => isDone);
    await work().finally(() => (isDone = true));
    await working;
  }

  private async work(clients: number, isDone: () => boolean): Promise<void> {
    await atOnce(clients, async () => {
      for (; !isDone(); await this.operate()) this.operations++;
    });
  }

  private async operate(): Promise<unknown> {
    const { random } = this;
    const { client } = this.deployment;
    const known = this.remembered.length > 0 ? random.pick(this.remembered) : undefined;
    const dice = random.next();
    if (known?.key !== undefined && dice < 0.14) return this.create(known.payload, known.key);
    if (known?.key !== undefined && dice < 0.2) return this.create(newPayload(this.randomSlot()), known.key);
    if (known?.bookingId !== undefined && dice < 0.36)
      return this.pauseIfOpen(await client.get(random.pick(this.urls), known.bookingId));
    if (dice < 0.5) {
      const hour = random.below(HOURS);
      const window = random.chance(0.5) ? { from: instantAt(hour), to: instantAt(hour + 4) } : undefined;
      return this.pauseIfOpen(await client.list(random.pick(this.urls), this.randomResource(), window));
    }
    const key = random.chance(0.75) ? `key-${requests}-${random.below(2 ** 31)}` : undefined;
    return this.create(newPayload(random.chance(0.95) ? this.randomSlot() : undefined), key);
  }

  /** Sends a create. With a key, repeats it until its outcome is known. */
  private async create(payload: Payload, key: string | undefined): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const calling = this.deployment.client.create(this.random.pick(this.urls), payload, key);
      if (attempt === 1) this.remember();
      const call = await calling;
      if (!(await this.pauseIfOpen(call)) || key === undefined) return;
    }
  }

  /** Pauses if the outcome is unknown, so that failures do not keep the machine busy. @returns whether it is unknown */
  private async pauseIfOpen({ response }: Call): Promise<boolean> {
    const isOpen = response === undefined || response.status === 503;
    if (isOpen) await sleep(this.random.below(RETRY_WAIT));
    return isOpen;
  }

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
