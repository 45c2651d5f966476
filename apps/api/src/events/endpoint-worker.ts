import { setMaxListeners } from 'node:events';
import { Logger } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import {
  backoffAfter,
  DELIVERY_TIMES,
  type DeliveryTimes,
  isGone,
  outcomeOf,
  reasonOf,
  retryAfterOf,
} from './attempt.js';
import { EndpointProgress } from './endpoint-progress.js';
import type { EventMetrics } from './event-metrics.js';
import type { EventStore } from './event-store.js';
import { type BookingEvent, headersOf, messageOf } from './event.js';
import { inLanes } from './lanes.js';
import { type ClaimedEndpoint, Lease } from './lease.js';
import { logFault } from './log-fault.js';
import { Poster, type PosterSettings, type PostResult } from './post.js';
import type { Endpoint } from './webhooks-file.js';

export interface WorkerSettings extends PosterSettings {
  /** Of all events of this service: a URI reference (CloudEvents, `source`). */
  readonly source: string;
}

/**
 * What an endpoint acknowledged is saved after so many events, and after so many milliseconds. After a crash, what was
 * not saved is sent again.
 */
const SAVE_AFTER = 128;
const SAVE_INTERVAL = 1_000;

/**
 * Delivers events to one endpoint while this process holds its lease: in the order of their sequence within a resource,
 * different resources concurrently. The first attempt that fails stops all of them. The next one is a single event, and
 * others follow only once that is acknowledged.
 */
export class EndpointWorker {
  private readonly logger = new Logger('webhooks');
  /** Of version 7: one of version 4 is that of a sender that reads past deletions (`migrations/0006_booking_deletions.sql`). */
  private readonly owner = uuidv7();
  private readonly poster: Poster;
  private running: Promise<boolean> | undefined;
  private hasOtherWork = false;
  private isClosing = false;
  /** Gives up the attempts under way: another process may have the endpoint, or there is no time left. */
  private abort = new AbortController();

  constructor(
    /** May be replaced at any time; attempts under way go on as they were started. */
    public endpoint: Endpoint,
    private readonly store: EventStore,
    private readonly metrics: EventMetrics,
    private readonly settings: WorkerSettings,
    private readonly times: DeliveryTimes = DELIVERY_TIMES,
  ) {
    this.poster = new Poster(settings);
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Delivers what the endpoint has not acknowledged. @returns whether it was this process's to deliver */
  run(): Promise<boolean> {
    this.running ??= this.deliverUntilDone().finally(() => (this.running = undefined));
    return this.running;
  }

  /** New events are there: a run under way does not end before it has read them. */
  wake(): void {
    this.hasOtherWork = true;
  }

  /**
   * Starts no further attempt. Resolves when those under way have ended and the lease is released.
   *
   * @param timeout milliseconds after which they are given up
   */
  async close(timeout: number): Promise<void> {
    this.isClosing = true;
    const timer = setTimeout(() => this.abort.abort(), timeout);
    await this.running;
    clearTimeout(timer);
    this.poster.close();
  }

  private async deliverUntilDone(): Promise<boolean> {
    for (;;) {
      this.hasOtherWork = false;
      const hasDelivered = await this.deliver().catch((error: unknown) => {
        logFault(error);
        return false;
      });
      if (!this.hasOtherWork || this.isClosing) return hasDelivered;
    }
  }

  /** @returns whether there was a lease to claim @throws Error of the store */
  private async deliver(): Promise<boolean> {
    if (this.isClosing) return false;
    this.abort = new AbortController();
    // Every request under way adds a listener, which Node would report as a leak.
    setMaxListeners(0, this.abort.signal);
    const claimed = await Lease.claim(this.store, this.endpoint, this.owner, () => this.abort.abort());
    if (claimed === undefined) return false;
    const { lease, wasSetBack } = claimed;
    if (wasSetBack) this.onClockSetBack();
    const progress = new EndpointProgress(claimed.progress);
    const saving = setInterval(() => void lease.renew(progress).catch(() => {}), SAVE_INTERVAL);
    try {
      await this.deliverAll(claimed, progress);
    } finally {
      clearInterval(saving);
      await lease.release(progress);
    }
    return true;
  }

  private onClockSetBack(): void {
    this.metrics.countClockSetBack();
    this.logger.warn(`The clock of the database went back: what was to wait for ${this.endpoint.name} is sent now.`);
  }

  private async deliverAll({ lease, hasParked }: ClaimedEndpoint, progress: EndpointProgress): Promise<void> {
    const { store } = this;
    for (let saved = 0; ;) {
      const { name, prefix } = this.endpoint;
      this.hasOtherWork = false;
      const parked = hasParked ? await store.readParked(name) : [];
      if (!(await this.send(progress, parked, true))) return;
      const batch = await store.read(name, progress.position, prefix);
      progress.startBatch(batch);
      if (!(await this.send(progress, batch.events, false))) return;
      if (parked.length + batch.events.length === 0 && !batch.isFull && !this.hasOtherWork) return;
      if (progress.acknowledgements - saved < SAVE_AFTER) continue;
      saved = progress.acknowledgements;
      if (!(await lease.renew(progress))) return;
    }
  }

  /** @returns whether all of them are acknowledged or parked */
  private async send(
    progress: EndpointProgress,
    events: readonly BookingEvent[],
    areParked: boolean,
  ): Promise<boolean> {
    const attempt = (event: BookingEvent): Promise<boolean> => this.attempt(progress, event, areParked);
    const [probe, ...others] = events;
    if (probe === undefined || progress.failures === 0) return inLanes(events, attempt);
    return (await attempt(probe)) && inLanes(others, attempt);
  }

  /** @returns whether the next event may follow */
  private async attempt(progress: EndpointProgress, event: BookingEvent, wasParked: boolean): Promise<boolean> {
    const { endpoint } = this;
    const { signal } = this.abort;
    if (this.isClosing || signal.aborted) return false;
    const message = messageOf(event, this.settings.source);
    const headers = headersOf(message, endpoint.secrets);
    const result = await this.poster.post(endpoint.url, headers, message.body, signal);
    // Whether it was received is unknown: the next holder of the lease sends it again.
    if (signal.aborted) return false;
    const outcome = outcomeOf(result);
    this.metrics.count(endpoint.name, outcome);
    progress.attempted(reasonOf(result));
    if (isGone(result)) {
      if (progress.end(endpoint.url)) this.logger.error(`${endpoint.name} has ended: it responds ${reasonOf(result)}.`);
      return false;
    }
    if (outcome === 'rejected') await this.park(event, reasonOf(result));
    else if (outcome !== 'delivered') return this.fail(progress, event, result);
    else if (wasParked) await this.store.unpark(endpoint.name, event.sequence);
    progress.acknowledge(event);
    if (progress.succeed()) this.logger.warn(`${endpoint.name} is back.`);
    return true;
  }

  /** @returns false: no event may follow */
  private async fail(progress: EndpointProgress, event: BookingEvent, result: PostResult): Promise<false> {
    const { maxEventAge } = this.times;
    const isFirst = progress.failures === 0;
    const reason = reasonOf(result);
    const backoff = backoffAfter(progress.failures, this.times);
    if (!progress.fail(backoff, retryAfterOf(result), performance.now())) return false;
    if (isFirst) this.logger.error(`${this.endpoint.name} is stopped, and is retried: ${reason}.`);
    if (progress.failingFor(performance.now()) < maxEventAge) return false;
    await this.park(event, `${reason}, for ${Math.round(maxEventAge / 3_600_000)} hours`);
    progress.acknowledge(event);
    progress.restartFailing(performance.now());
    return false;
  }

  private async park(event: BookingEvent, reason: string): Promise<void> {
    const { name } = this.endpoint;
    await this.store.park(name, event, reason);
    this.logger.error(`Event ${event.sequence} is parked for ${name}: ${reason}. \`webhooks retry\` sends it again.`);
  }
}
