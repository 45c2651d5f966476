import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BookingCreated } from './event.js';
import { type Batch, type EventStore, LEASE, type Progress } from './event-store.js';

/** Milliseconds between two renewals, and between two tries of the last save. */
const RENEWAL = 1_000;
const RELEASE_INTERVAL = 200;

/**
 * An endpoint in the hands of this process, and how far it is. What a receiver acknowledged and no store knows yet is
 * sent again after a crash: at most what it acknowledged within {@link RENEWAL} milliseconds, or since the last save.
 */
export class Lease {
  /** Acknowledged since the last save. */
  unsaved = 0;
  private pending: readonly BookingCreated[] = [];
  private readonly acknowledged: Set<number>;
  private pause = 0;
  private endedUrl: string | undefined;
  private isLost = false;
  private readonly ends = new AbortController();
  private deadline: NodeJS.Timeout;
  private readonly renewal: NodeJS.Timeout;
  private saving: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly store: EventStore,
    private readonly name: string,
    private readonly owner: string,
    private claimed: Progress,
    /** Whether parked events were to be sent once more when it was claimed. */
    readonly hasParked: boolean,
    asked: number,
  ) {
    // Every request under way listens to it, which Node would take for a leak.
    setMaxListeners(0, this.ends.signal);
    this.acknowledged = new Set(claimed.ahead);
    this.deadline = this.loseAt(asked + LEASE);
    this.renewal = setInterval(() => void this.save().catch(() => {}), RENEWAL);
  }

  /** @returns undefined where there is nothing to claim. @throws Error of the store */
  static async claim(store: EventStore, name: string, owner: string, url: string): Promise<Lease | undefined> {
    // Before the store's own clock begins: here the lease ends first.
    const asked = performance.now();
    const claimed = await store.claim(name, owner, url);
    if (claimed === undefined) return undefined;
    const { hasParked, ...progress } = claimed;
    return new Lease(store, name, owner, progress, hasParked, asked);
  }

  /** Aborted once another process may have the endpoint, or when attempts under way are {@link cut} off. */
  get ending(): AbortSignal {
    return this.ends.signal;
  }

  cut(): void {
    this.ends.abort();
  }

  get attempts(): number {
    return this.claimed.attempts;
  }

  /** Milliseconds since 1970; now where nothing failed. */
  get failingSince(): number {
    return this.claimed.failingSince ?? Date.now();
  }

  get progress(): Progress {
    const first = this.pending.find(({ sequence }) => !this.acknowledged.has(sequence));
    const { delivered, previous } =
      first === undefined ? this.claimed : { delivered: first.sequence - 1, previous: first.previous };
    const ahead = [...this.acknowledged].filter((sequence) => sequence > delivered);
    return { ...this.claimed, delivered, previous, ahead };
  }

  /** The events of a batch are sent from now on. */
  begin({ events }: Batch): void {
    this.pending = events;
  }

  acknowledge({ sequence }: BookingCreated): void {
    this.acknowledged.add(sequence);
    this.unsaved++;
  }

  /** All events of a batch were acknowledged or parked. */
  end({ upTo }: Batch): void {
    this.pending = [];
    this.claimed = { ...this.claimed, ...upTo };
    for (const sequence of this.acknowledged) if (sequence <= upTo.delivered) this.acknowledged.delete(sequence);
  }

  /** @returns whether the endpoint had failed before */
  succeed(): boolean {
    if (this.attempts === 0 || this.pause > 0) return false;
    this.claimed = { ...this.claimed, attempts: 0, failingSince: undefined };
    return true;
  }

  /**
   * Has nothing sent for some milliseconds, or to a URL any more.
   *
   * @returns whether this is the first failure since the endpoint was claimed
   */
  stop(pause: number, endedUrl?: string): boolean {
    if (this.pause > 0 || this.endedUrl !== undefined) return false;
    const { attempts, failingSince = Date.now() } = this.claimed;
    if (endedUrl === undefined) this.claimed = { ...this.claimed, attempts: attempts + 1, failingSince };
    this.pause = pause;
    this.endedUrl = endedUrl;
    return true;
  }

  /** The next event has all the time that the one before had. */
  failAnew(): void {
    this.claimed = { ...this.claimed, failingSince: Date.now() };
  }

  /** @returns whether the endpoint is still this process's. @throws Error of the store */
  save(isReleased = false): Promise<boolean> {
    const saved = this.saving.then(() => this.saveNow(isReleased));
    this.saving = saved.catch(() => {});
    return saved;
  }

  /** Lets the endpoint go. A store that is away is tried until the lease has ended by itself. */
  async release(): Promise<void> {
    clearInterval(this.renewal);
    while (!this.isLost) {
      try {
        await this.save(true);
        break;
      } catch {
        await sleep(RELEASE_INTERVAL);
      }
    }
    clearTimeout(this.deadline);
  }

  private async saveNow(isReleased: boolean): Promise<boolean> {
    const asked = performance.now();
    if (this.isLost) return false;
    const { pause, endedUrl, unsaved } = this;
    const saved = { ...this.progress, pause: isReleased ? pause : 0, endedUrl, isReleased };
    const isKept = await this.store.save(this.name, this.owner, saved);
    if (!isKept) {
      this.lose();
      return false;
    }
    this.unsaved -= unsaved;
    clearTimeout(this.deadline);
    this.deadline = this.loseAt(asked + LEASE);
    return true;
  }

  /** @param instant of `performance.now()` */
  private loseAt(instant: number): NodeJS.Timeout {
    return setTimeout(() => this.lose(), instant - performance.now());
  }

  private lose(): void {
    this.isLost = true;
    this.ends.abort();
  }
}
