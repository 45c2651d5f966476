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
import { Delivery, type Verdict } from './delivery.js';
import { EndpointProgress } from './endpoint-progress.js';
import type { EventMetrics } from './event-metrics.js';
import type { EventStore } from './event-store.js';
import { type BookingEvent, headersOf, messageOf } from './event.js';
import { Lease } from './lease.js';
import { logFault } from './log-fault.js';
import { Poster, type PosterSettings, type PostResult } from './post.js';
import type { Endpoint } from './webhooks-file.js';

export interface WorkerSettings extends PosterSettings {
  /** Of all events of this service: a URI reference (CloudEvents, `source`). */
  readonly source: string;
}

const STOP = { kind: 'stop' } as const;

/** What an endpoint acknowledged is saved after so many milliseconds, and after some events. */
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
  private delivery: Delivery | undefined;
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
    if (this.delivery?.wake() !== true) this.hasOtherWork = true;
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
      this.delivery = this.newDelivery(lease, progress);
      await this.delivery.run();
    } finally {
      this.delivery = undefined;
      clearInterval(saving);
      await lease.release(progress);
    }
    return true;
  }

  private onClockSetBack(): void {
    this.metrics.countClockSetBack();
    this.logger.warn(`The clock of the database went back: what was to wait for ${this.endpoint.name} is sent now.`);
  }

  private newDelivery(lease: Lease, progress: EndpointProgress): Delivery {
    const attempt = (event: BookingEvent): Promise<Verdict> => this.attempt(progress, event);
    const onParked = (sequence: number, reason: string): void => {
      const { name } = this.endpoint;
      this.logger.error(`Event ${sequence} is parked for ${name}: ${reason}. \`webhooks retry\` sends it again.`);
    };
    return new Delivery(this.store, () => this.endpoint, lease, progress, attempt, onParked, this.times);
  }

  private async attempt(progress: EndpointProgress, event: BookingEvent): Promise<Verdict> {
    const { endpoint } = this;
    const { signal } = this.abort;
    if (this.isClosing || progress.isStopped || signal.aborted) return STOP;
    const message = messageOf(event, this.settings.source);
    const headers = headersOf(message, endpoint.secrets);
    const result = await this.poster.post(endpoint.url, headers, message.body, signal);
    // Whether it was received is unknown: the next holder of the lease sends it again.
    if (signal.aborted) return STOP;
    const outcome = outcomeOf(result);
    this.metrics.count(endpoint.name, outcome);
    progress.attempted(reasonOf(result));
    if (isGone(result)) {
      if (progress.end(endpoint.url)) this.logger.error(`${endpoint.name} has ended: it responds ${reasonOf(result)}.`);
      return STOP;
    }
    if (outcome !== 'delivered' && outcome !== 'rejected') return this.fail(progress, result);
    if (progress.succeed()) this.logger.warn(`${endpoint.name} is back.`);
    return outcome === 'delivered' ? { kind: 'acknowledged' } : { kind: 'rejected', reason: reasonOf(result) };
  }

  private fail(progress: EndpointProgress, result: PostResult): Verdict {
    const { maxEventAge } = this.times;
    const isFirst = progress.failures === 0;
    const reason = reasonOf(result);
    const backoff = backoffAfter(progress.failures, this.times);
    const now = performance.now();
    if (!progress.fail(backoff, retryAfterOf(result), now)) return STOP;
    if (isFirst) this.logger.error(`${this.endpoint.name} is stopped, and is retried: ${reason}.`);
    if (progress.failingFor(now) < maxEventAge) return STOP;
    progress.restartFailing(now);
    return { kind: 'stop', parkedFor: `${reason}, for ${Math.round(maxEventAge / 3_600_000)} hours` };
  }
}
