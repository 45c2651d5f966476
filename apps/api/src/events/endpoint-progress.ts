import type { BookingEvent } from './event.js';

/** What an endpoint acknowledged. */
export interface Position {
  /** It acknowledged this sequence and all before it, but for those that are deferred or parked. */
  readonly delivered: number;
  /** The last sequence up to there that matched its filter; 0 without one. */
  readonly previous: number;
  /** Acknowledged beyond `delivered`. */
  readonly ahead: readonly number[];
}

export interface Progress extends Position {
  /** Consecutive attempts that failed. */
  readonly failures: number;
  /** Milliseconds since the first of them. */
  readonly failingFor: number | undefined;
}

export interface SavedProgress extends Progress {
  /** Milliseconds during which nothing is sent to the endpoint. */
  readonly pause: number;
  /** The URL that wants no more events, if it responded so. */
  readonly endedUrl: string | undefined;
  /** The attempt that stopped the endpoint, or else the last; undefined if there was none. */
  readonly lastAttempt?: LastAttempt | undefined;
  /** Sequences that are deferred no longer: they are acknowledged, or there is nothing to send. */
  readonly settled?: readonly number[];
}

export interface LastAttempt {
  /** The status of its response, or why there was none. */
  readonly result: string;
  /** Milliseconds since it ended. */
  readonly age: number;
}

export interface Batch {
  /** Those that are neither acknowledged nor deferred nor parked, in the order of their sequence. */
  readonly events: readonly BookingEvent[];
  /** Sequences of those that may not be sent yet, since an earlier one of their lane is deferred. */
  readonly held: ReadonlySet<number>;
  /** The position once they are acknowledged: no other event up to here is for this endpoint. */
  readonly upTo: Pick<Position, 'delivered' | 'previous'>;
  /** Whether more may follow. */
  readonly isFull: boolean;
}

/** An event that is to be sent. */
export interface PendingEvent {
  readonly event: BookingEvent;
  /** Whether it is deferred: the store has it beside the position, which has passed it. */
  isDeferred: boolean;
  /** How often the endpoint has rejected it. */
  readonly rejections: number;
}

/** What one endpoint acknowledged, and how its attempts fail, while this process holds its lease. */
export class EndpointProgress {
  /** Events acknowledged, deferred, parked or forgotten since the lease was claimed. */
  settlements = 0;
  /** Whether an attempt failed since then: no other is started before the lease is released. */
  isStopped = false;
  /** Consecutive attempts that failed, those before the lease was claimed included. */
  failures: number;
  /** Up to where events were read. */
  private readTo: Pick<Position, 'delivered' | 'previous'>;
  /** Those of them that the position has not passed, in the order of their sequence. */
  private unsettled: readonly BookingEvent[] = [];
  private readonly acknowledged: Set<number>;
  private readonly settled = new Set<number>();
  /** When the first of them failed, of performance.now(): the wall clock may be set. */
  private failingSince: number | undefined;
  private pause = 0;
  private endedUrl: string | undefined;
  private lastAttempt: { result: string; endedAt: number } | undefined;

  /** @param now of performance.now() */
  constructor({ delivered, previous, ahead, failures, failingFor }: Progress, now = performance.now()) {
    this.readTo = { delivered, previous };
    this.acknowledged = new Set(ahead);
    this.failures = failures;
    this.failingSince = failingFor === undefined ? undefined : now - failingFor;
  }

  get position(): Position {
    const [next] = this.unsettled;
    const { delivered, previous } =
      next === undefined ? this.readTo : { delivered: next.sequence - 1, previous: next.previous };
    return { delivered, previous, ahead: [...this.acknowledged].filter((sequence) => sequence > delivered) };
  }

  /** That of the next {@link add}, beyond what is read. */
  get readPosition(): Position {
    return { ...this.readTo, ahead: [...this.acknowledged] };
  }

  /** Events that were read and that the position has not passed, those that are acknowledged included. */
  get span(): number {
    const { delivered } = this.readTo;
    return this.unsettled.length + this.position.ahead.filter((sequence) => sequence <= delivered).length;
  }

  /** Sequences that the store still has as deferred, and that are to be sent no more. */
  get settledSequences(): readonly number[] {
    return [...this.settled];
  }

  /** @param now of performance.now() */
  toSave(now = performance.now()): SavedProgress {
    const { failures, failingSince, pause, endedUrl } = this;
    const failingFor = failingSince === undefined ? undefined : now - failingSince;
    const lastAttempt = this.lastAttempt && { result: this.lastAttempt.result, age: now - this.lastAttempt.endedAt };
    return { ...this.position, failures, failingFor, pause, endedUrl, lastAttempt, settled: this.settledSequences };
  }

  onSaved({ settled = [] }: Pick<SavedProgress, 'settled'>): void {
    for (const sequence of settled) this.settled.delete(sequence);
  }

  /** Events that follow {@link readPosition}. */
  add({ events, upTo }: Pick<Batch, 'events' | 'upTo'>): void {
    const { delivered } = this.position;
    for (const sequence of this.acknowledged) if (sequence <= delivered) this.acknowledged.delete(sequence);
    this.unsettled = [...this.unsettled, ...events];
    this.readTo = upTo;
  }

  /**
   * An attempt ended.
   *
   * @param result the status of its response, or why there was none
   * @param now of performance.now()
   */
  attempted(result: string, now = performance.now()): void {
    if (!this.isStopped) this.lastAttempt = { result, endedAt: now };
  }

  acknowledge({ event, isDeferred }: Pick<PendingEvent, 'event' | 'isDeferred'>): void {
    this.acknowledged.add(event.sequence);
    if (isDeferred) this.settled.add(event.sequence);
    this.settle(event);
  }

  /** The store has the event as deferred or parked from now on. */
  handOver(pending: PendingEvent): void {
    const { event } = pending;
    pending.isDeferred = true;
    if (this.acknowledged.has(event.sequence)) this.settled.add(event.sequence);
    this.settle(event);
  }

  /** There is nothing to send for a deferred sequence. */
  forget(sequence: number): void {
    this.settlements++;
    this.settled.add(sequence);
  }

  /** An attempt succeeded. @returns whether that ends a failure */
  succeed(): boolean {
    // An attempt that was under way when another failed does not end the failure.
    if (this.failures === 0 || this.isStopped) return false;
    this.failures = 0;
    this.failingSince = undefined;
    return true;
  }

  /**
   * An attempt failed; of several at a time, only the first counts, and the longest `Retry-After` of all.
   *
   * @param backoff milliseconds until the next one, at least
   * @param retryAfter milliseconds that the receiver asked for
   * @param now of performance.now()
   * @returns whether it was the first
   */
  fail(backoff: number, retryAfter: number, now: number): boolean {
    this.pause = Math.max(this.pause, retryAfter);
    if (this.isStopped) return false;
    this.isStopped = true;
    this.failures++;
    this.failingSince ??= now;
    this.pause = Math.max(this.pause, backoff);
    return true;
  }

  /** The endpoint wants no more events at a URL. @returns whether no other attempt failed before */
  end(url: string): boolean {
    if (this.isStopped) return false;
    this.isStopped = true;
    this.endedUrl = url;
    return true;
  }

  /** Milliseconds for which attempts have been failing. */
  failingFor(now: number): number {
    return this.failingSince === undefined ? 0 : now - this.failingSince;
  }

  /** The event that failed is parked: the next one may fail for as long. */
  restartFailing(now: number): void {
    this.failingSince = now;
  }

  private settle({ sequence }: BookingEvent): void {
    this.settlements++;
    this.unsettled = this.unsettled.filter((event) => event.sequence !== sequence);
  }
}
