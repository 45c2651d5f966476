import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { BookingsListener } from '../bookings/bookings.listener.js';
import { SchemaMismatch } from '../database/postgres-errors.js';
import { EndpointWorker } from './endpoint-worker.js';
import { EventMetrics } from './event-metrics.js';
import { EVENT_SETTINGS, type EventSettings } from './event-settings.js';
import { EventStore } from './event-store.js';
import { EventSwitch } from './event-switch.js';
import { logFault } from './log-fault.js';
import { type Endpoint, WebhooksFile } from './webhooks-file.js';

/** Milliseconds from one poll to the next, at least: the database has less to do for events that are sequenced together. */
const POLL_INTERVAL = 250;

/** One of so many polls looks for everything. */
const THOROUGH_POLL = 40;

/** Milliseconds between two marks of the endpoints as in use. */
const MARK_INTERVAL = 60_000;

/**
 * Gives bookings their sequence, and has them delivered to each endpoint, beside any number of processes that do the
 * same. The first booking of this process after a pause is delivered at once, others after {@link POLL_INTERVAL} at most.
 */
@Injectable()
export class EventSender
  extends BookingsListener
  implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly file: WebhooksFile;
  private readonly workers = new Map<string, EndpointWorker>();
  private readonly closing = new AbortController();
  /** Endpoints that the store does not know yet. */
  private unregistered: readonly Endpoint[] = [];
  private readonly eventSwitch: EventSwitch;
  private markingDueAt = 0;
  /** Whether this process has created bookings since the last poll. */
  private hasNewBookings = false;
  private hasOtherWork = false;
  private polls = 0;
  private wakeUp = (): void => {};
  private polling: Promise<void> | undefined;
  private workersClosed: Promise<unknown> | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly metrics: EventMetrics,
    @Inject(EVENT_SETTINGS) private readonly settings: EventSettings,
  ) {
    super();
    this.file = new WebhooksFile(settings.file, settings.allowPrivate);
    this.eventSwitch = new EventSwitch(store);
  }

  override created(): void {
    if (this.hasNewBookings) return;
    this.hasNewBookings = true;
    this.wakeUp();
  }

  /**
   * Called by Nest before the first request, so that the endpoints receive its booking. A database that is away, or whose
   * table is locked, is waited for in the background.
   *
   * @throws Error where the file cannot be used
   * @throws SchemaMismatch where only the owner of the tables can have bookings noted
   */
  async onModuleInit(): Promise<void> {
    await this.file.read();
    this.updateWorkers();
    await this.prepare().catch((error: unknown) => {
      if (error instanceof SchemaMismatch) throw error;
    });
    void this.file.watch(this.closing.signal, () => this.updateWorkers());
    this.polling = this.pollUntilClosed();
  }

  /** Called by Nest when the service stops: no attempt is started from now on. */
  beforeApplicationShutdown(): void {
    this.closing.abort();
    this.wakeUp();
    const closed = [...this.workers.values()].map((worker) => worker.close(this.settings.shutdownTimeout));
    this.workersClosed = Promise.all(closed);
  }

  /** Called by Nest after the last request, and before the database is closed. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.polling, this.workersClosed]);
  }

  private updateWorkers(): void {
    const { endpoints, faults } = this.file;
    const { store, metrics, settings, workers } = this;
    metrics.endpoints = endpoints;
    metrics.setFileFaults(faults);
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
    this.unregistered = endpoints;
    this.markingDueAt = 0;
    this.pollSoon();
  }

  private pollSoon(): void {
    this.hasOtherWork = true;
    this.wakeUp();
  }

  private async pollUntilClosed(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const { hasNewBookings } = this;
      this.hasNewBookings = false;
      await this.poll(hasNewBookings).catch(logFault);
      const rest = Math.max(0, startedAt + POLL_INTERVAL - performance.now());
      await sleep(rest, undefined, { signal }).catch(() => {});
      if (!this.hasNewBookings && !this.hasOtherWork && !signal.aborted) await this.wokenOrDue();
      this.hasOtherWork = false;
    }
  }

  /** @param hasNewBookings whether this process has created some */
  private async poll(hasNewBookings: boolean): Promise<void> {
    const { store } = this;
    await this.prepare();
    let work = hasNewBookings ? undefined : await store.findWork(this.polls++ % THOROUGH_POLL === 0);
    if (work?.hasUnsequenced === false) return this.startWorkers(work.endpoints, false);
    let mayBeMore: boolean;
    do {
      mayBeMore = await store.assignSequences();
      work = await store.findWork(false);
      this.startWorkers(work.endpoints, true);
    } while (mayBeMore && !this.closing.signal.aborted);
    // Another process was assigning sequences, and may have started before these bookings were there.
    if (work.hasUnsequenced) this.hasNewBookings = true;
  }

  /** @param due endpoints that no process has claimed */
  private startWorkers(due: readonly string[], hasNewEvents: boolean): void {
    this.metrics.polled();
    for (const [name, worker] of this.workers) {
      if (!worker.isRunning && due.includes(name)) {
        // While it was claimed, no poll found the endpoint.
        void worker.run().then((wasClaimed) => wasClaimed && this.pollSoon());
      } else if (hasNewEvents) {
        worker.wake();
      }
    }
  }

  /** Has bookings noted and, once they are, the store know the endpoints. */
  private async prepare(): Promise<void> {
    const { store, unregistered } = this;
    const isOn = await this.eventSwitch.check();
    this.metrics.setEventsOn(isOn);
    if (isOn) {
      for (const endpoint of unregistered) await store.register(endpoint);
      this.unregistered = this.unregistered.filter((endpoint) => !unregistered.includes(endpoint));
    }
    const now = performance.now();
    if (now < this.markingDueAt) return;
    this.markingDueAt = now + MARK_INTERVAL;
    await store.markSeen([...this.workers.keys()]);
  }

  /** Resolves when {@link wakeUp} is called, or the next poll is due. */
  private wokenOrDue(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_INTERVAL);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
