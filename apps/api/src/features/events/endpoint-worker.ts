import { setMaxListeners } from 'node:events';
import { Logger } from '@nestjs/common';
import { backoffAfter, DELIVERY_TIMES, type DeliveryTimes, outcomeOf } from './attempt.js';
import type { Delivery, DeliveryStore } from './delivery-store.js';
import { bookingCreated, bookingDeleted, headersOf, type Message } from './event.js';
import type { EventMetrics } from './event-metrics.js';
import { logError } from './log-error.js';
import { MAX_REQUESTS, type SenderSettings, type SendResult, WebhookSender } from './webhook-sender.js';
import type { Endpoint } from './webhooks-file.js';

export interface EventSettings extends SenderSettings {
  /** A JSON file with the endpoints, which is read again whenever it changes. */
  readonly file: string;
  /** Of all events of this service: a URI reference (CloudEvents, `source`). */
  readonly source: string;
  /** Milliseconds that attempts in flight may take when the service stops. */
  readonly shutdownTimeout: number;
}

/** Milliseconds after an attempt for which others are waited for, so that one statement serves several. */
const GATHERING = 20;

/** Milliseconds of a claim in addition to the time limit of a request, for what comes before and after it. */
const CLAIM_RESERVE = 10_000;

/** Sends what is due to one endpoint, alongside any number of processes that do the same. */
export class EndpointWorker {
  private readonly logger = new Logger('webhooks');
  private readonly sender: WebhookSender;
  private readonly attempts = new Set<Promise<void>>();
  /** Ids of deliveries that are still in the store. They are not sent again, even if the store fails meanwhile. */
  private acknowledged: string[] = [];
  private mayHaveMore = false;
  /** Whether events may be due that were so before the last seconds. */
  private isThorough = false;
  private isReplayed = false;
  private isClosing = false;
  private readonly giveUp = new AbortController();
  private running: Promise<void> | undefined;
  private gathering: NodeJS.Timeout | undefined;
  private isWoken = false;
  private onWoken = (): void => {};

  constructor(
    /** May be replaced at any time; attempts in flight go on as they were started. */
    public endpoint: Endpoint,
    private readonly store: DeliveryStore,
    private readonly metrics: EventMetrics,
    private readonly settings: Pick<EventSettings, 'source' | 'allowPrivate' | 'timeout'>,
    private readonly times: DeliveryTimes = DELIVERY_TIMES,
  ) {
    this.sender = new WebhookSender(settings);
    // Each request in flight adds a listener, which Node would report as a leak.
    setMaxListeners(0, this.giveUp.signal);
  }

  /** Sends what is due. @param isReplayed whether bookings from before are to be recorded for the endpoint */
  run(isThorough: boolean, isReplayed: boolean): Promise<void> {
    this.mayHaveMore = true;
    this.isThorough ||= isThorough;
    this.isReplayed ||= isReplayed;
    this.wake();
    this.running ??= this.deliver()
      .catch(logError)
      .finally(() => (this.running = undefined));
    return this.running;
  }

  /** Starts no further attempt. @param timeout milliseconds after which those in flight are given up */
  async close(timeout: number): Promise<void> {
    this.isClosing = true;
    this.wake();
    const timer = setTimeout(() => this.giveUp.abort(), timeout);
    await this.running;
    await Promise.all(this.attempts);
    if (this.acknowledged.length > 0) await this.claim(0).catch(logError);
    clearTimeout(timer);
    this.sender.close();
  }

  private async deliver(): Promise<void> {
    for (;;) {
      const places = this.isClosing || !this.mayHaveMore ? 0 : MAX_REQUESTS - this.attempts.size;
      if (places > 0 || this.acknowledged.length > 0) {
        const claimed = await this.claim(places);
        if (places > 0) this.mayHaveMore = claimed.length === places;
        for (const delivery of claimed) this.start(delivery);
      }
      if (this.isReplayed && !this.mayHaveMore && !this.isClosing) {
        this.isReplayed = await this.store.replaySome(this.endpoint.name);
        this.mayHaveMore = this.isReplayed;
      }
      if (this.attempts.size > 0) await this.changed();
      else if (this.isClosing || !this.mayHaveMore) {
        if (this.acknowledged.length === 0) return;
      }
    }
  }

  private async claim(places: number): Promise<Delivery[]> {
    const { acknowledged, isThorough, settings } = this;
    this.acknowledged = [];
    try {
      const claimTime = settings.timeout + CLAIM_RESERVE;
      const claimed = await this.store.claim(this.endpoint, acknowledged, places, claimTime, isThorough);
      // While there are more, old ones would starve for as long as new ones come.
      if (claimed.length < places && isThorough) this.isThorough = false;
      return claimed;
    } catch (error) {
      this.acknowledged.push(...acknowledged);
      throw error;
    }
  }

  /** Resolves when there may be something to claim, or several attempts have ended. */
  private async changed(): Promise<void> {
    if (!this.isWoken) await new Promise<void>((resolve) => (this.onWoken = resolve));
    this.isWoken = false;
    clearTimeout(this.gathering);
    this.gathering = undefined;
  }

  private wake(): void {
    this.isWoken = true;
    this.onWoken();
  }

  private start(delivery: Delivery): void {
    const attempt = this.attempt(delivery)
      .catch(logError)
      .finally(() => {
        this.attempts.delete(attempt);
        if (this.attempts.size <= MAX_REQUESTS / 2) this.wake();
        else this.gathering ??= setTimeout(() => this.wake(), GATHERING);
      });
    this.attempts.add(attempt);
  }

  private async attempt(delivery: Delivery): Promise<void> {
    const { endpoint } = this;
    const { signal } = this.giveUp;
    const message = this.messageOf(delivery);
    if (message === undefined) return void this.acknowledged.push(delivery.id);
    const result = await this.sender.send(endpoint.url, headersOf(message, endpoint.secrets), message.body, signal);
    // Whether it was received is unknown: it is sent again when it is due.
    if (signal.aborted) return;
    const outcome = outcomeOf(result);
    this.metrics.attempts.inc({ endpoint: endpoint.name, outcome });
    if (outcome === 'delivered') this.acknowledged.push(delivery.id);
    else await this.fail(delivery, message, result);
    if ((outcome === 'delivered' || outcome === 'rejected') && delivery.failures > 0) await this.recover(delivery);
  }

  /** Undefined where there is nothing to send: the booking was deleted, and no trigger recorded that. */
  private messageOf({ bookingId, json, deletedAt, slot }: Delivery): Message | undefined {
    const { source } = this.settings;
    if (deletedAt !== null) return bookingDeleted(source, bookingId, deletedAt, slot);
    return json === null ? undefined : bookingCreated(source, bookingId, json);
  }

  private async recover({ failures }: Delivery): Promise<void> {
    const { name } = this.endpoint;
    if (!(await this.store.recover(name, failures))) return;
    this.logger.warn(`${name} is back.`);
    this.mayHaveMore = this.isThorough = true;
  }

  private async fail(delivery: Delivery, { id }: Message, result: SendResult): Promise<void> {
    const { endpoint, times, logger } = this;
    const { failures, attempts } = delivery;
    const outcome = outcomeOf(result);
    const reason = result.kind === 'response' ? String(result.status) : result.reason;
    const isOfEvent = outcome === 'rejected';
    const retryAfter = result.kind === 'response' ? (result.retryAfter ?? 0) : 0;
    const failed = await this.store.fail(delivery, endpoint, {
      reason,
      pause: isOfEvent ? times.rejectionPauses[attempts - 1] : backoffAfter(attempts - 1, times),
      // The endpoint accepts no event now, as far as is known: one at a time is sent until one is acknowledged.
      endpointPause: isOfEvent ? undefined : Math.max(backoffAfter(failures, times), retryAfter),
      endedUrl: outcome === 'gone' ? endpoint.url : undefined,
    });
    if (failed.failures !== null && outcome === 'gone')
      logger.error(`${endpoint.name} has ended: it responds ${reason}.`);
    else if (failed.failures === 1) logger.error(`${endpoint.name} fails, and is retried: ${reason}.`);
    if (failed.isDead)
      logger.error(`${id} is dead-lettered for ${endpoint.name}: ${reason}. \`webhooks retry\` sends it again.`);
  }
}
