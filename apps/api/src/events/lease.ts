import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointProgress } from './endpoint-progress.js';
import { LEASE } from './event-statements.js';
import type { Claim, EventStore } from './event-store.js';
import type { Endpoint } from './webhooks-file.js';

/** Milliseconds between two attempts at a release. */
const RELEASE_INTERVAL = 200;

export interface ClaimedEndpoint extends Claim {
  readonly lease: Lease;
}

/** The right to send to an endpoint, which one process at a time has. */
export class Lease {
  private isLost = false;
  private expiry: NodeJS.Timeout;
  /** Saves come one after the other: a renewal must not overtake the release. */
  private saving: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly store: EventStore,
    private readonly endpoint: string,
    private readonly owner: string,
    private readonly onLost: () => void,
    requestedAt: number,
  ) {
    this.expiry = this.expireAfter(requestedAt);
  }

  /**
   * @param owner a UUID that no other holder has
   * @param onLost called once another process may have the endpoint
   * @param evenIfPaused whether it is claimed although it is not due
   * @returns undefined where there is nothing to claim
   * @throws Error of the store
   */
  static async claim(
    store: EventStore,
    endpoint: Endpoint,
    owner: string,
    onLost: () => void,
    evenIfPaused = false,
  ): Promise<ClaimedEndpoint | undefined> {
    // Before the clock of the database starts: the lease ends here first.
    const requestedAt = performance.now();
    const claim = await store.claim(endpoint, owner, evenIfPaused);
    return claim && { ...claim, lease: new Lease(store, endpoint.name, owner, onLost, requestedAt) };
  }

  get isHeld(): boolean {
    return !this.isLost;
  }

  /**
   * Saves the progress, and keeps the lease.
   *
   * @returns whether it is still held; otherwise nothing is saved
   * @throws Error of the store
   */
  renew(progress: EndpointProgress): Promise<boolean> {
    return this.save(progress, true);
  }

  /** Saves the progress and gives the endpoint up. While the database is unavailable, it retries until the lease has expired. */
  async release(progress: EndpointProgress): Promise<void> {
    while (!this.isLost) {
      try {
        await this.save(progress, false);
        break;
      } catch {
        await sleep(RELEASE_INTERVAL);
      }
    }
    clearTimeout(this.expiry);
  }

  private save(progress: EndpointProgress, isKept: boolean): Promise<boolean> {
    const saved = this.saving.then(() => this.saveNow(progress, isKept));
    this.saving = saved.catch(() => {});
    return saved;
  }

  private async saveNow(progress: EndpointProgress, isKept: boolean): Promise<boolean> {
    if (this.isLost) return false;
    const requestedAt = performance.now();
    const saved = progress.toSave();
    if (!(await this.store.save(this.endpoint, this.owner, saved, isKept))) {
      this.lose();
      return false;
    }
    progress.onSaved(saved);
    clearTimeout(this.expiry);
    this.expiry = this.expireAfter(requestedAt);
    return true;
  }

  private expireAfter(requestedAt: number): NodeJS.Timeout {
    return setTimeout(() => this.lose(), requestedAt + LEASE - performance.now());
  }

  private lose(): void {
    this.isLost = true;
    this.onLost();
  }
}
