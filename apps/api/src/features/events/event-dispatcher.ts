import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { BookingsListener } from '../../bookings/domain/bookings.repository.js';
import type { Moment } from '../../platform/moment.js';
import type { WatchedFile } from '../../platform/watched-file.js';
import { DeliveryStore } from './delivery-store.js';
import { EndpointWorker, type EventSettings } from './endpoint-worker.js';
import { EventMetrics } from './event-metrics.js';
import { type Endpoint, webhooksFile } from './webhooks-file.js';

/** Milliseconds between two searches for due events while this process creates no booking. */
const LOOK_INTERVAL = 1_000;
/** Minimum milliseconds between two searches, however many bookings this process creates. */
const MIN_LOOK_INTERVAL = 50;

/**
 * Milliseconds between two registrations of the endpoints. Each keeps them from being forgotten, and adds them to a
 * database that was restored.
 */
const REGISTER_INTERVAL = 40_000;

/** Milliseconds between two registrations of no endpoints, which forget those that have been in no file for a week. */
const FORGET_INTERVAL = 3_600_000;

/** Runs a worker for each endpoint in WEBHOOKS_FILE, if there is one, and forgets endpoints that are in no file. */
export class EventDispatcher
  extends BookingsListener
  implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly logger = new Logger('webhooks');
  private readonly file: WatchedFile | undefined;
  private endpoints: readonly Endpoint[] = [];
  private readonly workers = new Map<string, EndpointWorker>();
  private readonly closing = new AbortController();
  /** When to register the endpoints next. */
  private registerAt: Moment = 0;
  /** Aborted to end the sleep between two searches, or to skip it if it has not begun. */
  private sleeping = new AbortController();
  private looking: Promise<void> | undefined;
  private closed: Promise<unknown> | undefined;

  constructor(
    private readonly store: DeliveryStore,
    private readonly metrics: EventMetrics,
    private readonly fileValid: Gauge.Internal<'setting'>,
    settings: EventSettings | undefined,
  ) {
    super();
    this.file = settings && webhooksFile(settings, (endpoints) => this.use(endpoints, settings));
  }

  override created(): void {
    if (this.workers.size > 0) this.sleeping.abort();
  }

  /** Runs before the first request, so that endpoints receive its booking too. @throws Error for an unusable file */
  async onModuleInit(): Promise<void> {
    const { file, fileValid, logger } = this;
    await file?.load();
    if (this.endpoints.length > 0) await this.register();
    void file?.watch(this.closing.signal, fileValid, {
      changed: () => logger.log(`Reloaded: ${file.name}, ${this.endpoints.length} endpoints.`),
      failed: (fault) => logger.error(`${fault}. The previous endpoints stay in use.`),
    });
    this.looking = this.lookUntilClosed();
  }

  beforeApplicationShutdown(): void {
    this.closing.abort();
    this.sleeping.abort();
    const workersClosed = [...this.workers.values()].map((worker) => worker.close());
    this.closed = Promise.all([this.looking, ...workersClosed]);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.closed;
  }

  private use(endpoints: readonly Endpoint[], settings: EventSettings): void {
    const { store, metrics, workers } = this;
    this.endpoints = endpoints;
    metrics.track(endpoints);
    for (const [name, worker] of workers) {
      if (endpoints.some((endpoint) => endpoint.name === name)) continue;
      workers.delete(name);
      void worker.close();
    }
    for (const endpoint of endpoints) {
      const worker = workers.get(endpoint.name);
      if (worker === undefined) workers.set(endpoint.name, new EndpointWorker(endpoint, store, metrics, settings));
      else worker.endpoint = endpoint;
    }
    this.registerAt = 0;
    this.sleeping.abort();
  }

  private async lookUntilClosed(): Promise<void> {
    const { signal } = this.closing;
    await this.warnOfUnlisted().catch(this.store.report);
    while (!signal.aborted) {
      this.sleeping = new AbortController();
      for (const worker of this.workers.values()) worker.look();
      if (performance.now() >= this.registerAt) await this.register();
      await sleep(MIN_LOOK_INTERVAL, undefined, { signal }).catch(() => {});
      await sleep(LOOK_INTERVAL, undefined, { signal: this.sleeping.signal }).catch(() => {});
    }
  }

  private async register(): Promise<void> {
    const { endpoints, store } = this;
    const hasEndpoints = endpoints.length > 0;
    this.registerAt = performance.now() + (hasEndpoints ? REGISTER_INTERVAL : FORGET_INTERVAL);
    try {
      const isDone = await store.register(endpoints);
      if (!isDone) this.registerAt = 0;
    } catch (error) {
      if (hasEndpoints) this.registerAt = 0;
      store.report(error);
    }
  }

  private async warnOfUnlisted(): Promise<void> {
    const unlisted = await this.store.unlisted();
    if (unlisted.length === 0) return;
    this.logger.warn(
      `Endpoints that are in no file: ${unlisted.length} (${unlisted.join(', ')}). Nobody sends their events, to which ` +
        'every booking adds until the endpoints have been in no file for seven days.',
    );
  }
}
