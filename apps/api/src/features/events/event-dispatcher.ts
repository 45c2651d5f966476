import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { BookingsListener } from '../../bookings/domain/bookings.repository.js';
import { DeliveryStore } from './delivery-store.js';
import { EndpointWorker, type EventSettings } from './endpoint-worker.js';
import { EventMetrics } from './event-metrics.js';
import { logError } from './log-error.js';
import { WebhooksFile } from './webhooks-file.js';

/** Milliseconds between two looks for what is due, unless this process creates a booking meanwhile. */
const POLL_INTERVAL = 500;

/** Milliseconds between two looks, at least. */
const SHORTEST_INTERVAL = 50;

/** One of so many looks is thorough, and one registers the endpoints: a restored database may not have them. */
const THOROUGH_POLL = 10;
const REGISTERING_POLL = 100;

/** Delivers what is due to each endpoint of the file, alongside any number of processes that do the same. */
export class EventDispatcher
  extends BookingsListener
  implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly file: WebhooksFile;
  private readonly workers = new Map<string, EndpointWorker>();
  private readonly closing = new AbortController();
  /** Looks since the file was read, or since one failed; the first is thorough. */
  private looks = 0;
  private hasNewBookings = false;
  /** Ends the pause before the next look. */
  private pause = new AbortController();
  private polling: Promise<void> | undefined;
  private workersClosed: Promise<unknown> | undefined;

  constructor(
    private readonly store: DeliveryStore,
    private readonly metrics: EventMetrics,
    private readonly settings: EventSettings,
  ) {
    super();
    this.file = new WebhooksFile(settings.file, settings.allowPrivate);
  }

  override created(): void {
    if (this.hasNewBookings) return;
    this.hasNewBookings = true;
    this.pause.abort();
  }

  /**
   * Called by Nest before the first request, so that the endpoints receive its booking. A database that is unavailable is
   * waited for in the background.
   *
   * @throws Error where the file cannot be used
   */
  async onModuleInit(): Promise<void> {
    await this.file.read();
    this.updateWorkers();
    await this.store.register(this.file.endpoints).catch(logError);
    void this.file.watch(this.closing.signal, () => this.updateWorkers());
    this.polling = this.pollUntilClosed();
  }

  /** Called by Nest when the service stops: no attempt is started from now on. */
  beforeApplicationShutdown(): void {
    this.closing.abort();
    this.pause.abort();
    const closed = [...this.workers.values()].map((worker) => worker.close(this.settings.shutdownTimeout));
    this.workersClosed = Promise.all(closed);
  }

  /** Called by Nest after the last request, and before the database is closed. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.polling, this.workersClosed]);
  }

  private updateWorkers(): void {
    const { endpoints, isValid } = this.file;
    const { store, metrics, settings, workers } = this;
    metrics.endpoints = endpoints;
    metrics.fileValid.set(isValid ? 1 : 0);
    for (const [name, worker] of workers) {
      if (endpoints.some((endpoint) => endpoint.name === name)) continue;
      workers.delete(name);
      void worker.close(settings.shutdownTimeout);
    }
    for (const endpoint of endpoints) {
      const worker = workers.get(endpoint.name);
      if (worker === undefined) workers.set(endpoint.name, new EndpointWorker(endpoint, store, metrics, settings));
      else worker.endpoint = endpoint;
    }
    this.looks = 0;
    this.created();
  }

  private async pollUntilClosed(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      this.hasNewBookings = false;
      await this.poll(this.looks++).catch((error: unknown) => {
        this.looks = 0;
        logError(error);
      });
      await sleep(SHORTEST_INTERVAL, undefined, { signal }).catch(() => {});
      if (this.hasNewBookings || signal.aborted) continue;
      this.pause = new AbortController();
      await sleep(POLL_INTERVAL, undefined, { signal: this.pause.signal }).catch(() => {});
    }
  }

  private async poll(look: number): Promise<void> {
    const isThorough = look % THOROUGH_POLL === 0;
    if (look % REGISTERING_POLL === 0) await this.store.register(this.file.endpoints);
    for (const { name, isReplayed } of await this.store.findDue(this.file.endpoints, isThorough)) {
      void this.workers.get(name)?.run(isThorough, isReplayed);
    }
  }
}
