import { Logger } from '@nestjs/common';
import { DatabaseUnavailable, isAbsence, isLockTimeout } from '../database/postgres-errors.js';
import type { EventStore } from './event-store.js';

/** Milliseconds before the second attempt to switch events on; doubled for each further one. */
const FIRST_PAUSE = 5_000;

/** Milliseconds between two attempts, at most, and between two checks whether events are still on. */
const CHECK_INTERVAL = 60_000;

/**
 * Switches events on once, when the service starts, and knows whether they are on. An attempt holds creates up while it
 * waits for the table, so that attempts are rare.
 */
export class EventSwitch {
  private readonly logger = new Logger('webhooks');
  private isOn = false;
  private hasSwitched = false;
  private isWaiting = false;
  private pause = FIRST_PAUSE;
  private dueAt = 0;

  /** @param now milliseconds of a clock that is never set */
  constructor(
    private readonly store: EventStore,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @returns whether bookings are noted for events, as far as is known
   * @throws SchemaMismatch if only the owner of the tables can switch events on
   */
  async check(): Promise<boolean> {
    if (this.now() < this.dueAt) return this.isOn;
    if (this.hasSwitched) await this.look();
    else await this.switchOn();
    return this.isOn;
  }

  private async look(): Promise<void> {
    const isOn = await this.store.isOn();
    this.dueAt = this.now() + CHECK_INTERVAL;
    if (isOn === this.isOn) return;
    this.isOn = isOn;
    if (isOn) this.logger.warn('Events are on again.');
    else this.logger.error('Events were switched off: no booking is noted for them until `webhooks on`.');
  }

  private async switchOn(): Promise<void> {
    try {
      if (await this.store.switchOn()) this.logger.warn('Bookings are noted for events from now on.');
    } catch (error) {
      if (isAbsence(error)) throw error;
      this.dueAt = this.now() + this.pause;
      this.pause = Math.min(2 * this.pause, CHECK_INTERVAL);
      if (!(error instanceof DatabaseUnavailable && isLockTimeout(error.cause))) throw error;
      return this.logWaiting();
    }
    this.isOn = true;
    this.hasSwitched = true;
    this.dueAt = this.now() + CHECK_INTERVAL;
  }

  private async logWaiting(): Promise<void> {
    if (this.isWaiting) return;
    this.isWaiting = true;
    const fault = await describeHolder(this.store);
    this.logger.error(`Events are not on yet: ${fault}. Attempts go on, at least one a minute.`);
  }
}

/** What a switch of events has waited for, where that was a lock. */
export async function describeHolder(store: EventStore): Promise<string> {
  const holder = await store.tableHolder();
  const who = holder === undefined ? 'another transaction' : `process ${holder.pid} of the database (${holder.mode})`;
  return `${who} holds the table bookings`;
}
