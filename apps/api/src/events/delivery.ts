import { crc32 } from 'node:zlib';
import { Logger } from '@nestjs/common';
import { type Attempt, attemptOf, type DeliveryTimes, isGone, pauseBefore, reasonOf } from './attempt.js';
import { type BookingCreated, bookingCreated, headersOf } from './event.js';
import type { EventStore } from './event-store.js';
import { Lease } from './lease.js';
import { MAX_REQUESTS, type Poster, type PostResult } from './post.js';
import type { Endpoint } from './webhooks-file.js';

export interface DeliveryTools {
  readonly store: EventStore;
  readonly poster: Poster;
  /** Of all events of this service: a URI reference (CloudEvents, `source`). */
  readonly source: string;
  /** A UUID of this process. */
  readonly owner: string;
  readonly times: DeliveryTimes;
  readonly count: (endpoint: string, attempt: Attempt) => void;
  /** Called when the endpoint was told something and is let go. */
  readonly idle: () => void;
}

/** Called when an event is done with. */
type Done = (event: BookingCreated, isParked: boolean) => Promise<void>;

/** Acknowledged events after which the progress is kept. */
const SAVE_AFTER = 128;

/**
 * Tells one endpoint of its events, while this process holds its lease: in the order of their sequence within a
 * resource, different resources beside each other. The first event that finds the endpoint away stops all of them;
 * the next attempt is one event alone, and only where that is acknowledged do others follow.
 */
export class Delivery {
  private readonly logger = new Logger('webhooks');
  private running: Promise<void> | undefined;
  private isAskedAgain = false;
  private isStopping = false;
  private lease: Lease | undefined;

  constructor(
    /** May be changed at any time; attempts under way are made as they were begun. */
    public endpoint: Endpoint,
    private readonly tools: DeliveryTools,
  ) {}

  /** Has the endpoint told what it was not yet told, beside everything else. */
  begin(): void {
    this.isAskedAgain = true;
    if (this.running !== undefined || this.isStopping) return;
    this.isAskedAgain = false;
    this.running = this.run().finally(() => {
      this.running = undefined;
      if (this.isAskedAgain) this.begin();
    });
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Begins no attempt from now on. */
  stop(): void {
    this.isStopping = true;
  }

  /** Resolves when the attempts under way are over, and the endpoint is let go. @param patience milliseconds */
  async stopped(patience: number): Promise<void> {
    this.stop();
    const timer = setTimeout(() => this.lease?.cut(), patience);
    await this.running;
    clearTimeout(timer);
  }

  private async run(): Promise<void> {
    const { store, owner } = this.tools;
    const { name, url } = this.endpoint;
    let isWell = false;
    try {
      this.lease = await Lease.claim(store, name, owner, url);
      if (this.lease === undefined) return;
      await this.tellAll(this.lease);
      isWell = true;
    } catch (error) {
      // A store that is away says so itself.
      if (!store.isAway(error)) this.logger.error(error, (error as Error).stack);
    }
    await this.lease?.release();
    this.lease = undefined;
    if (isWell) this.tools.idle();
  }

  private async tellAll(lease: Lease): Promise<void> {
    const { store } = this.tools;
    for (;;) {
      const { name, prefix } = this.endpoint;
      this.isAskedAgain = false;
      const again = lease.hasParked ? await store.readParked(name) : [];
      const sentAgain = async ({ sequence }: BookingCreated, isParked: boolean): Promise<void> => {
        if (!isParked) await store.unpark(name, sequence);
      };
      if (!(await this.tell(lease, again, sentAgain))) return;
      const batch = await store.read(name, lease.progress, prefix);
      lease.begin(batch);
      if (!(await this.tell(lease, batch.events, async (event) => lease.acknowledge(event)))) return;
      lease.end(batch);
      // Another process may have given numbers while these were told.
      if (batch.events.length + again.length === 0 && !batch.isFull && !this.isAskedAgain) return;
      if (lease.unsaved >= SAVE_AFTER && !(await lease.save())) return;
    }
  }

  /** @returns whether all of them are done with */
  private async tell(lease: Lease, events: readonly BookingCreated[], done: Done): Promise<boolean> {
    const [first] = events;
    if (first === undefined) return true;
    if (lease.attempts > 0) {
      const isBack = await this.attempt(lease, first, done);
      return isBack && this.tell(lease, events.slice(1), done);
    }
    let mayGoOn = true;
    const stop = (): void => void (mayGoOn = false);
    const lanes = lanesOf(events).map(async (lane) => {
      for (const event of lane) if (mayGoOn && !(await this.attempt(lease, event, done))) stop();
    });
    // All lanes are over before the lease is: also where the store failed one of them.
    for (const lane of lanes) lane.catch(stop);
    const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    return mayGoOn;
  }

  /** @returns whether the next event may follow */
  private async attempt(lease: Lease, event: BookingCreated, done: Done): Promise<boolean> {
    const { tools, endpoint } = this;
    if (this.isStopping || lease.ending.aborted) return false;
    const message = bookingCreated(event, tools.source);
    const headers = headersOf(message, endpoint.secrets);
    const result = await tools.poster.post(endpoint.url, headers, message.body, lease.ending);
    // Whether it was received is open: whoever holds the lease next sends it again.
    if (lease.ending.aborted) return false;
    const attempt = attemptOf(result);
    tools.count(endpoint.name, attempt);
    if (attempt === 'delivered' || (attempt === 'rejected' && !isGone(result))) {
      const isParked = attempt === 'rejected';
      if (isParked) await this.park(event, reasonOf(result));
      await done(event, isParked);
      if (lease.succeed()) this.logger.warn(`${endpoint.name} is back.`);
      return true;
    }
    if (!isGone(result)) await this.fail(lease, event, result, done);
    else if (lease.stop(0, endpoint.url))
      this.logger.error(`${endpoint.name} is ended: it responds ${reasonOf(result)}.`);
    return false;
  }

  private async fail(lease: Lease, event: BookingCreated, result: PostResult, done: Done): Promise<void> {
    const { times } = this.tools;
    const isFirst = lease.attempts === 0;
    const asked = result.kind === 'response' ? (result.retryAfter ?? 0) : 0;
    if (!lease.stop(Math.max(asked, pauseBefore(lease.attempts + 1, times)))) return;
    if (isFirst) this.logger.error(`${this.endpoint.name} is stopped, and tried again: ${reasonOf(result)}.`);
    if (Date.now() - lease.failingSince < times.patience) return;
    await this.park(event, `${reasonOf(result)}, for ${Math.round(times.patience / 3_600_000)} hours`);
    await done(event, true);
    lease.failAnew();
  }

  private async park(event: BookingCreated, reason: string): Promise<void> {
    const { name } = this.endpoint;
    await this.tools.store.park(name, event, reason);
    this.logger.error(`Event ${event.sequence} is parked for ${name}: ${reason}. \`webhooks retry\` sends it again.`);
  }
}

/** Events of one resource are one after the other; those without one go anywhere. */
function lanesOf(events: readonly BookingCreated[]): BookingCreated[][] {
  const lanes: BookingCreated[][] = Array.from({ length: MAX_REQUESTS }, () => []);
  for (const event of events) {
    const lane = event.resourceId === undefined ? event.sequence : crc32(event.resourceId);
    lanes[lane % MAX_REQUESTS]!.push(event);
  }
  return lanes;
}
