import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DELIVERY_TIMES, type DeliveryTimes } from './attempt.js';
import { Delivery } from './delivery.js';
import type { EventMetrics } from './event-metrics.js';
import type { EventStore } from './event-store.js';
import { Poster, type PosterSettings } from './post.js';
import { type Endpoint, WebhooksFile } from './webhooks-file.js';

export interface EventSettings extends PosterSettings {
  /** A JSON file with the endpoints, which is looked at again and again. */
  readonly file: string;
  /** Of all events of this service: a URI reference (CloudEvents, `source`). */
  readonly source: string;
}

/**
 * Milliseconds between two looks for what was created, here or elsewhere: the database has less to do for what is told
 * together.
 */
const LOOK_INTERVAL = 250;

/**
 * Gives bookings their sequence, and has each endpoint told of them, beside any number of processes that do the same.
 * The first booking of this process after a pause is told of at once, others after {@link LOOK_INTERVAL} at most.
 */
export class Sender implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('webhooks');
  private readonly file: WebhooksFile;
  private readonly owner = randomUUID();
  private readonly deliveries = new Map<string, { readonly delivery: Delivery; readonly poster: Poster }>();
  private readonly closing = new AbortController();
  /** Endpoints that the store does not know yet. */
  private unregistered: readonly Endpoint[] = [];
  private isSwitchedOn = false;
  /** Whether this process has made bookings. */
  private isNudged = false;
  /** Whether there may be something to do otherwise. */
  private isWoken = false;
  private endPause = (): void => {};
  private looking: Promise<void> | undefined;
  private stopBy = 0;

  /** @param stopPatience milliseconds that attempts under way have when the service stops */
  constructor(
    private readonly store: EventStore,
    private readonly settings: EventSettings,
    private readonly metrics: EventMetrics,
    private readonly stopPatience: number,
    private readonly times: DeliveryTimes = DELIVERY_TIMES,
  ) {
    this.file = new WebhooksFile(settings.file, settings.allowPrivate);
  }

  /** Called when this process has made a booking. */
  nudge(): void {
    if (this.isNudged) return;
    this.isNudged = true;
    this.endPause();
  }

  /**
   * Called by Nest before the first request, so that the endpoints are told of its booking. A store that is away, or
   * whose table is locked, is waited for beside everything else.
   *
   * @throws Error where the file cannot be used
   */
  async onModuleInit(): Promise<void> {
    await this.file.read();
    this.takeEndpoints();
    await this.prepare().catch(() => {});
    void this.file.watch(this.closing.signal, () => this.takeEndpoints());
    this.looking = this.lookUntilClosed();
  }

  /** Called by Nest when the service stops: nothing more is begun. */
  beforeApplicationShutdown(): void {
    this.stopBy = performance.now() + this.stopPatience;
    this.closing.abort();
    this.endPause();
    for (const { delivery } of this.deliveries.values()) delivery.stop();
  }

  /** Called by Nest after the last request, and before the store is closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.looking;
    const patience = Math.max(0, this.stopBy - performance.now());
    await Promise.all([...this.deliveries.values()].map(({ delivery }) => delivery.stopped(patience)));
    for (const { poster } of this.deliveries.values()) poster.close();
  }

  private takeEndpoints(): void {
    const { endpoints } = this.file;
    const { store, owner, settings, times, metrics } = this;
    metrics.endpoints = endpoints;
    for (const [name, { delivery, poster }] of this.deliveries) {
      if (endpoints.some((endpoint) => endpoint.name === name)) continue;
      this.deliveries.delete(name);
      void delivery.stopped(this.stopPatience).then(() => poster.close());
    }
    for (const endpoint of endpoints) {
      const known = this.deliveries.get(endpoint.name);
      if (known !== undefined) {
        known.delivery.endpoint = endpoint;
        continue;
      }
      const poster = new Poster(settings);
      const idle = (): void => {
        this.isWoken = true;
        this.endPause();
      };
      const tools = { store, poster, source: settings.source, owner, times, count: metrics.count, idle };
      this.deliveries.set(endpoint.name, { delivery: new Delivery(endpoint, tools), poster });
    }
    this.unregistered = endpoints;
    this.nudge();
  }

  private async lookUntilClosed(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      const begun = performance.now();
      const wasNudged = this.isNudged;
      this.isNudged = false;
      try {
        await this.look(wasNudged);
      } catch (error) {
        // A store that is away says so itself.
        if (!this.store.isAway(error)) this.logger.error(error, (error as Error).stack);
      }
      await this.pause(LOOK_INTERVAL - (performance.now() - begun));
      if (!this.isNudged && !this.isWoken) await this.nextNudge();
      this.isWoken = false;
    }
  }

  /** @param wasNudged whether there are new bookings of this process */
  private async look(wasNudged: boolean): Promise<void> {
    const { store, deliveries } = this;
    await this.prepare();
    let toDo = wasNudged ? undefined : await store.toDo();
    while (!this.closing.signal.aborted) {
      const hasNew = toDo?.isUnnumbered ?? true;
      const mayBeMore = hasNew && (await store.number());
      const { endpoints, isUnnumbered } = hasNew ? await store.toDo() : toDo!;
      for (const [name, { delivery }] of deliveries) {
        if (delivery.isRunning ? hasNew : endpoints.includes(name)) delivery.begin();
      }
      // Another process was giving numbers, and may have begun before these bookings were there.
      if (!mayBeMore && isUnnumbered) this.isNudged = true;
      if (!mayBeMore) return;
      toDo = undefined;
    }
  }

  /** Has bookings noted, and the store know the endpoints. */
  private async prepare(): Promise<void> {
    const { store, unregistered } = this;
    if (!this.isSwitchedOn && (await store.switchOn())) {
      this.logger.warn('Bookings are noted for events from now on.');
    }
    this.isSwitchedOn = true;
    for (const { name, from } of unregistered) await store.register(name, from);
    this.unregistered = this.unregistered.filter((endpoint) => !unregistered.includes(endpoint));
  }

  private async pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return;
    await sleep(milliseconds, undefined, { signal: this.closing.signal }).catch(() => {});
  }

  private nextNudge(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_INTERVAL);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
