import { Injectable, Logger } from '@nestjs/common';
import type { Slot } from '../../bookings/domain/booking.js';
import { Database } from '../../platform/database/database.js';
import { DatabaseUnavailable, isAbsence } from '../../platform/database/postgres-errors.js';
import * as sql from './delivery-statements.js';
import type { Endpoint } from './webhooks-file.js';

/** An event that this process is to send. */
export interface Delivery {
  readonly id: string;
  readonly bookingId: string;
  /** Attempts at this event, with the one that is due. */
  readonly attempts: number;
  /** Failures of the endpoint in a row. */
  readonly failures: number;
  /** Whether the event is a dead letter if this attempt fails: three days after the first one. */
  readonly isLast: boolean;
  /** The booking; null if it is gone. */
  readonly json: string | null;
  /** Milliseconds since 1970; null for a creation. */
  readonly deletedAt: number | null;
  /** The slot that a deletion leaves free; null for a creation, and without a slot. */
  readonly slot: Slot | null;
}

export interface Claim {
  readonly deliveries: readonly Delivery[];
  /** Failures of the endpoint in a row, if the record has changed them. */
  readonly judged: number | null;
  /** Whether old bookings are to be recorded with {@link DeliveryStore.replaySome}. */
  readonly isReplayed: boolean;
}

export interface EndpointState {
  readonly name: string;
  readonly failures: number;
  /** Seconds until the next attempt, while it fails. */
  readonly pause: number;
  readonly endedUrl: string | null;
  readonly lastError: string | null;
  /** Whether it is in the file of a service that runs, or did two minutes ago. */
  readonly isUsed: boolean;
  /** Whether old bookings are still to be recorded for it. */
  readonly isReplayed: boolean;
  /** At most 100,000, as are the dead letters. */
  readonly pending: number;
  readonly deadLetters: number;
  /** Seconds since the oldest pending event was recorded, or first attempted; 0 without one. */
  readonly age: number;
}

/** Milliseconds after an error for which no other is logged. */
const QUIET_TIME = 60_000;

/** What is still to be delivered, in PostgreSQL, for any number of processes. Methods throw what {@link Database} throws. */
@Injectable()
export class DeliveryStore {
  private readonly logger = new Logger('webhooks');
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly database: Database) {}

  /** Records bookings for endpoints from now on, and forgets endpoints that are in no file for a week. */
  async register(endpoints: readonly Pick<Endpoint, 'name' | 'prefix' | 'from'>[]): Promise<void> {
    const names = endpoints.map(({ name }) => name);
    const prefixes = endpoints.map(({ prefix }) => prefix);
    const areFirst = endpoints.map(({ from }) => from === 'first');
    await this.database.write(...sql.REGISTER.with({ names, prefixes, areFirst }));
    await this.database.write(...sql.HASTEN.with({ names }));
    await this.database.write(sql.FORGET_UNUSED);
    await this.database.write(sql.SWEEP);
  }

  /** Records some of the old bookings for an endpoint, unless many events wait. @returns whether there may be more */
  async replaySome(name: string): Promise<boolean> {
    const { rows } = await this.database.write<{ hasMore: boolean }>(...sql.REPLAY.with({ name }));
    return rows[0]?.hasMore === true;
  }

  /** Records how attempts ended, and claims what is due. It does not wait for the disk, so it may go among the reads. */
  async claim(request: sql.AttemptsRecord & sql.ClaimLimits): Promise<Claim> {
    type Row = Delivery & Omit<Claim, 'deliveries'>;
    const { rows } = await this.database.run<Row>(...sql.CLAIM.with(request));
    const { judged, isReplayed } = rows[0]!;
    return { deliveries: rows.filter(({ id }) => id !== null), judged, isReplayed };
  }

  async states(): Promise<EndpointState[]> {
    return (await this.database.run<EndpointState>(sql.STATES)).rows;
  }

  /** Logs an error of the work in the background, one a minute. The health check logs that the database is away. */
  readonly report = (error: unknown): void => {
    const now = performance.now();
    if (isAbsence(error) || now - this.reportedAt < QUIET_TIME) return;
    this.reportedAt = now;
    const { message, stack } = (error instanceof DatabaseUnavailable ? error.cause : error) as Error;
    if (error instanceof DatabaseUnavailable) this.logger.error(`A statement for events failed: ${message}.`);
    else this.logger.error(error, stack);
  };
}
