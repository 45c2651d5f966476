import type { PendingEvent } from './endpoint-progress.js';
import { laneOf } from './event.js';

/** Sends events concurrently, those of one lane one after the other, in the order of their sequence. */
export class Lanes {
  private waiting: PendingEvent[] = [];
  /** By lane. */
  private readonly underWay = new Map<string, PendingEvent>();
  private hasStopped = false;
  private onChange = (): void => {};

  /**
   * @param send sends an event, whose lane is busy until the promise is settled; returns whether others may follow
   * @param places how many may be under way now
   */
  constructor(
    private readonly send: (pending: PendingEvent) => Promise<boolean>,
    private readonly places: () => number,
  ) {}

  /** Whether no other event is started. */
  get isStopped(): boolean {
    return this.hasStopped;
  }

  get isIdle(): boolean {
    return this.underWay.size === 0;
  }

  /** Whether those that wait do so for others of their lanes alone. */
  get hasFreePlace(): boolean {
    return this.underWay.size < this.places();
  }

  /** Waiting or under way. */
  get inHand(): PendingEvent[] {
    return [...this.underWay.values(), ...this.waiting];
  }

  add(events: readonly PendingEvent[]): void {
    this.waiting.push(...events);
    this.waiting.sort((one, other) => one.event.sequence - other.event.sequence);
    this.startNext();
  }

  /** Takes events back that are not started. @param lane that of the events; undefined for all */
  takeWaiting(lane?: string): PendingEvent[] {
    const isTaken = ({ event }: PendingEvent): boolean => lane === undefined || laneOf(event) === lane;
    const taken = this.waiting.filter(isTaken);
    this.waiting = this.waiting.filter((pending) => !isTaken(pending));
    return taken;
  }

  /** Resolves when an event was sent, {@link wake} is called, or the time is over. @param timeout milliseconds */
  changed(timeout: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeout);
      this.onChange = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake(): void {
    this.onChange();
  }

  stop(): void {
    this.hasStopped = true;
    this.waiting = [];
  }

  private startNext(): void {
    for (const pending of this.waiting) {
      if (!this.hasFreePlace) break;
      const lane = laneOf(pending.event);
      if (this.underWay.has(lane)) continue;
      this.underWay.set(lane, pending);
      void this.sendOne(lane, pending);
    }
    this.waiting = this.waiting.filter((pending) => this.underWay.get(laneOf(pending.event)) !== pending);
  }

  private async sendOne(lane: string, pending: PendingEvent): Promise<void> {
    const mayFollow = await this.send(pending).catch(() => false);
    this.underWay.delete(lane);
    if (!mayFollow) this.stop();
    this.startNext();
    this.onChange();
  }
}
