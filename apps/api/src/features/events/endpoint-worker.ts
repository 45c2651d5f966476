import { EventEmitter, once, setMaxListeners } from 'node:events';
import { Logger } from '@nestjs/common';
import type { Moment } from '../../platform/moment.js';
import { type Delivery, type FinishedAttempt, recordOf, type Verdict } from './attempt.js';
import type { DeliveryStore } from './delivery-store.js';
import type { EventMetrics } from './event-metrics.js';
import { headersOf, messageOf } from './event.js';
import { type SenderSettings, WebhookSender } from './webhook-sender.js';
import type { Endpoint } from './webhooks-file.js';

export interface EventSettings extends SenderSettings {
  readonly file: string;
  /** The `source` of all events, a URI reference (CloudEvents). */
  readonly source: string;
  /** Maximum milliseconds for attempts in flight once the service stops or the file drops their endpoint. */
  readonly shutdownTimeout: number;
}

/** Maximum requests in flight to one endpoint, each on its own connection. */
const MAX_REQUESTS = 16;

/** Milliseconds by which a claim outlasts the time limit of its request. */
const CLAIM_RESERVE = 10_000;

/** Milliseconds between a search of all deliveries that leaves nothing behind and the next one. */
const THOROUGH_INTERVAL = 5_000;

/** Sends one endpoint its due events, alongside any number of processes that do the same. */
export class EndpointWorker {
  private readonly logger = new Logger('webhooks');
  private readonly sender: WebhookSender;
  private readonly changes = new EventEmitter<{ change: [] }>();
  private readonly inFlight = new Set<Promise<void>>();
  /** Finished attempts that are not recorded yet: kept while the store fails, to spare sending their events again. */
  private readonly finished: FinishedAttempt[] = [];
  private mayHaveMore = false;
  /** When to search all deliveries next. */
  private thoroughAt: Moment = 0;
  private isClosing = false;
  private readonly giveUp = new AbortController();
  private readonly working: Promise<void>;

  constructor(
    /** May be replaced at any time; attempts in flight continue as they were started. */
    public endpoint: Endpoint,
    private readonly store: DeliveryStore,
    private readonly metrics: EventMetrics,
    private readonly settings: Omit<EventSettings, 'file'>,
  ) {
    this.sender = new WebhookSender(settings);
    // Each request in flight adds a listener, which Node would otherwise report as a leak.
    setMaxListeners(0, this.giveUp.signal);
    this.working = this.work();
  }

  look(): void {
    this.mayHaveMore = true;
    this.changes.emit('change');
  }

  /** Begins no further claim. Gives up attempts in flight after `shutdownTimeout`. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.changes.emit('change');
    const timer = setTimeout(() => this.giveUp.abort(), this.settings.shutdownTimeout);
    await this.working;
    clearTimeout(timer);
    this.sender.close();
  }

  /** Begins a round after each change, until the worker is closed and nothing is in flight. */
  private async work(): Promise<void> {
    let change = once(this.changes, 'change');
    let isDrained: boolean;
    do {
      await change;
      // Listens before the round begins, so that no change is missed.
      change = once(this.changes, 'change');
      // Decided before the round, so that the last round still records the last attempts.
      isDrained = this.isClosing && this.inFlight.size === 0;
      await this.record()
        .then(() => this.claim())
        .catch(this.store.report);
    } while (!isDrained);
  }

  private async record(): Promise<void> {
    const finished = [...this.finished];
    if (finished.length === 0) return;
    const record = recordOf(finished);
    const failures = await this.store.record({ name: this.endpoint.name, ...record });
    this.finished.splice(0, finished.length);
    const { verdict } = record;
    if (verdict !== undefined && failures !== null) this.logVerdict(verdict, failures);
    if (verdict?.isUp !== true) return;
    // A quick search covers only seconds, and the endpoint's events may have been due for longer.
    this.thoroughAt = 0;
    this.look();
  }

  private async claim(): Promise<void> {
    const { name, url } = this.endpoint;
    const limit = MAX_REQUESTS - this.inFlight.size;
    if (!this.mayHaveMore || this.isClosing || limit === 0) return;
    this.mayHaveMore = false;
    const claimTime = this.settings.timeout + CLAIM_RESERVE;
    const isThorough = performance.now() >= this.thoroughAt;
    const deliveries = await this.store.claim({ name, url, limit, claimTime, isThorough });
    for (const delivery of deliveries) this.start(delivery);
    if (deliveries.length === limit) return this.look();
    // A thorough search is repeated until it leaves nothing behind: quick searches find only events that became due
    // lately, and older ones would starve.
    if (isThorough) this.thoroughAt = performance.now() + THOROUGH_INTERVAL;
  }

  private start(delivery: Delivery): void {
    const attempt = this.attempt(delivery)
      .catch(this.store.report)
      .finally(() => {
        this.inFlight.delete(attempt);
        this.changes.emit('change');
      });
    this.inFlight.add(attempt);
  }

  private async attempt(delivery: Delivery): Promise<void> {
    const { name, url, secrets } = this.endpoint;
    const { signal } = this.giveUp;
    const message = messageOf(this.settings.source, delivery);
    if (message === undefined) {
      await this.store.record({ name, acknowledged: [delivery.id] });
      return;
    }
    const result = await this.sender.send(url, headersOf(message, secrets), message.body, signal);
    // The event, which the receiver may already have, is sent again once its claim ends.
    if (signal.aborted) return;
    this.finished.push({ delivery, url, ...result });
    const { outcome, reason } = result;
    this.metrics.attempts.inc({ endpoint: name, outcome });
    if (outcome === 'delivered' || !delivery.isLast) return;
    this.logger.error(`${message.id} is dead-lettered for ${name}: ${reason}. \`webhooks retry\` sends it again.`);
  }

  private logVerdict({ isUp, endedUrl, reason }: Verdict, failures: number): void {
    const { name } = this.endpoint;
    if (isUp) this.logger.warn(`${name} is back.`);
    else if (endedUrl !== null) this.logger.error(`${name} has ended: it responded ${reason}.`);
    else if (failures === 1) this.logger.error(`${name} fails, and is retried: ${reason}.`);
  }
}
