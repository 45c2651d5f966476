import { DELIVERY_TIMES, type DeliveryTimes } from './attempt.js';
import type { EndpointProgress, PendingEvent } from './endpoint-progress.js';
import type { EventStore } from './event-store.js';
import { type BookingEvent, laneOf } from './event.js';
import { MAX_EVENTS } from './event-statements.js';
import { Lanes } from './lanes.js';
import type { Lease } from './lease.js';
import { MAX_REQUESTS } from './post.js';
import type { Endpoint } from './webhooks-file.js';

/**
 * What an endpoint acknowledged is saved after so many events, and once a second. After a crash, what was not saved is
 * sent again.
 */
const SAVE_AFTER = 128;

/** Milliseconds for which the events of busy lanes keep others from being read. */
const BLOCKED_FOR = 250;

/** What became of an attempt. */
export type Verdict =
  | { readonly kind: 'acknowledged' }
  /** It speaks of the event, which is tried again while those of other lanes go on. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** No other event may follow. It is parked where the time for it is over. */
  | { readonly kind: 'stop'; readonly parkedFor?: string };

interface Decision {
  readonly pending: PendingEvent;
  readonly reason: string;
  readonly isFinal: boolean;
  readonly resolve: () => void;
}

/**
 * The delivery of all events that an endpoint has not acknowledged, while this process holds its lease. They come from two
 * places: beyond the position of the endpoint, and from the deferred ones beside it, which come first within their lane.
 * A lane that is slow or rejected is deferred, so that the others go on.
 */
export class Delivery {
  private readonly lanes: Lanes;
  private decisions: Decision[] = [];
  /** Whether there may be events that are not in hand. */
  private mayHaveEvents = true;
  private mayHaveDeferred = true;
  private hasEnded = false;
  private readAt = 0;
  private savedAt = 0;

  constructor(
    private readonly store: EventStore,
    private readonly endpoint: () => Endpoint,
    private readonly lease: Lease,
    private readonly progress: EndpointProgress,
    private readonly attempt: (event: BookingEvent) => Promise<Verdict>,
    private readonly onParked: (sequence: number, reason: string) => void,
    private readonly times: DeliveryTimes = DELIVERY_TIMES,
  ) {
    // After a failure one event goes alone, and the others once it is acknowledged.
    const places = (): number => (progress.failures === 0 ? MAX_REQUESTS : 1);
    this.lanes = new Lanes((pending) => this.send(pending), places);
  }

  /** New events are there. @returns whether they are read: false once it has ended */
  wake(): boolean {
    this.mayHaveEvents = true;
    this.lanes.wake();
    return !this.hasEnded;
  }

  /** Resolves when there are no more, or none may be sent. @throws Error of the store */
  async run(): Promise<void> {
    try {
      while (await this.step());
    } finally {
      this.hasEnded = true;
      this.lanes.stop();
      while (!this.lanes.isIdle) {
        // Their attempts are repeated.
        for (const { resolve } of this.decisions.splice(0)) resolve();
        await this.lanes.changed(BLOCKED_FOR);
      }
    }
  }

  /** @returns whether there is a next one */
  private async step(): Promise<boolean> {
    const { lanes, progress } = this;
    await this.decide();
    if (lanes.isStopped) {
      if (lanes.isIdle) return false;
      await lanes.changed(BLOCKED_FOR);
      return true;
    }
    if (progress.settlements - this.savedAt >= SAVE_AFTER) {
      this.savedAt = progress.settlements;
      return this.lease.renew(progress);
    }
    const deferred = lanes.inHand.filter(({ isDeferred }) => isDeferred).length;
    const readsDeferred = this.mayHaveDeferred && deferred <= MAX_EVENTS / 2;
    const readsEvents = this.mayHaveEvents && progress.span <= MAX_EVENTS;
    if (readsDeferred) await this.readDeferred();
    if (readsEvents) await this.readEvents();
    if (readsDeferred || readsEvents) return true;
    if (lanes.isIdle) {
      this.hasEnded = true;
      return false;
    }
    const isBlocked = (this.mayHaveEvents || this.mayHaveDeferred) && lanes.hasFreePlace;
    if (isBlocked && performance.now() - this.readAt > BLOCKED_FOR) await this.unblock();
    else await lanes.changed(BLOCKED_FOR);
    return true;
  }

  private async readDeferred(): Promise<void> {
    const { progress, lanes } = this;
    this.mayHaveDeferred = false;
    this.readAt = performance.now();
    const { inHand } = lanes;
    const sequences = [...progress.settledSequences, ...inHand.map(({ event }) => event.sequence)];
    const busy = inHand.map(({ event }) => laneOf(event));
    const { events, missing, isFull } = await this.store.readDeferred(this.endpoint().name, sequences, busy);
    for (const sequence of missing) progress.forget(sequence);
    this.mayHaveDeferred ||= isFull;
    lanes.add(events);
  }

  private async readEvents(): Promise<void> {
    const { progress } = this;
    const { name, prefix } = this.endpoint();
    this.mayHaveEvents = false;
    this.readAt = performance.now();
    const batch = await this.store.read(name, progress.readPosition, prefix);
    progress.add(batch);
    this.mayHaveEvents ||= batch.isFull;
    const pending = batch.events.map((event) => ({ event, isDeferred: false, rejections: 0 }));
    await this.defer(pending.filter(({ event }) => batch.held.has(event.sequence)));
    this.lanes.add(pending.filter(({ isDeferred }) => !isDeferred));
  }

  /** Makes room where a few lanes have all that is in hand. */
  private async unblock(): Promise<void> {
    const inHand = this.lanes.inHand;
    this.lanes.takeWaiting();
    await this.defer(inHand);
    this.readAt = performance.now();
  }

  private async defer(pending: readonly PendingEvent[]): Promise<void> {
    const fresh = pending.filter(({ isDeferred }) => !isDeferred);
    if (pending.length > 0) this.mayHaveDeferred = true;
    if (fresh.length === 0) return;
    await this.store.defer(
      this.endpoint().name,
      fresh.map(({ event }) => event),
    );
    for (const one of fresh) this.progress.handOver(one);
  }

  /** @returns whether others may follow */
  private async send(pending: PendingEvent): Promise<boolean> {
    const verdict = await this.attempt(pending.event);
    if (pending.isDeferred) this.mayHaveDeferred = true;
    if (verdict.kind === 'acknowledged') this.progress.acknowledge(pending);
    if (verdict.kind === 'rejected') {
      await this.decision(pending, verdict.reason, pending.rejections >= this.times.rejectionPauses.length);
    }
    if (verdict.kind === 'stop' && verdict.parkedFor !== undefined)
      await this.decision(pending, verdict.parkedFor, true);
    return verdict.kind !== 'stop';
  }

  /** Resolves when the store has it, which keeps the lane busy until then. */
  private decision(pending: PendingEvent, reason: string, isFinal: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.decisions.push({ pending, reason, isFinal, resolve });
      this.lanes.wake();
    });
  }

  private async decide(): Promise<void> {
    for (let decision; (decision = this.decisions[0]) !== undefined; this.decisions.shift()) {
      // Another process may have the endpoint: it will have the event rejected too.
      if (this.lease.isHeld) await this.carryOut(decision);
      decision.resolve();
    }
  }

  private async carryOut({ pending, reason, isFinal }: Decision): Promise<void> {
    const { event, rejections } = pending;
    const { name } = this.endpoint();
    if (isFinal) {
      await this.store.park(name, event, reason);
      this.onParked(event.sequence, reason);
    } else {
      await this.store.reject(name, event, reason, this.times.rejectionPauses[rejections]!);
      await this.defer(this.lanes.takeWaiting(laneOf(event)));
    }
    this.progress.handOver(pending);
    this.mayHaveDeferred = true;
  }
}
