import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { DatabaseUnavailable, isOutage } from '../../platform/database/postgres-errors.js';
import type { Moment } from '../../platform/moment.js';
import type { AttemptRecord, Delivery } from './attempt.js';
import * as sql from './delivery-statements.js';
import type { Endpoint } from './webhooks-file.js';

export interface EndpointState {
  readonly name: string;
  readonly failures: number;
  /** Seconds until a failing endpoint is tried again. */
  readonly nextIn: number;
  readonly endedUrl: string | null;
  readonly lastError: string | null;
  /** Whether a service seen in the last two minutes lists the endpoint. */
  readonly isInFile: boolean;
  /** Counted up to 10,000, like `deadLetters`. */
  readonly pending: number;
  readonly deadLetters: number;
  /** Seconds since the oldest pending event was recorded, first attempted, or retried by an operator; 0 if none. */
  readonly age: number;
}

/** Minimum milliseconds between two logged errors. */
const QUIET_TIME = 60_000;

/** The deliveries in the database, for any number of processes. Statements throw the errors of {@link Database}. */
@Injectable()
export class DeliveryStore {
  private readonly logger = new Logger('webhooks');
  private reportedAt: Moment = Number.NEGATIVE_INFINITY;
  private readonly limits: sql.Limits;

  constructor(private readonly database: Database) {
    this.limits = { lockTimeout: database.lockTimeout };
  }

  /**
   * Starts recording events for new endpoints, and forgets endpoints that have been in no file for a week.
   *
   * @returns whether all events of forgotten endpoints are deleted
   */
  async register(endpoints: readonly Pick<Endpoint, 'name' | 'prefix'>[]): Promise<boolean> {
    const names = endpoints.map(({ name }) => name);
    const prefixes = endpoints.map(({ prefix }) => prefix);
    const { database, limits } = this;
    await database.write(...sql.REGISTER.with({ ...limits, names, prefixes }));
    await database.write(...sql.CAP_WAITS.with({ ...limits, names }));
    await database.write(...sql.FORGET_UNUSED.with(limits));
    const { rowCount } = await database.write(...sql.DELETE_ORPHANS.with(limits));
    return rowCount! < sql.MAX_CHANGED_ROWS;
  }

  /** @returns names of endpoints that no running service lists; sent as a write, which needs no further connection */
  async unlisted(): Promise<string[]> {
    return (await this.database.write<{ name: string }>(sql.UNLISTED)).rows.map(({ name }) => name);
  }

  /** @returns the endpoint's new count of consecutive failures; null if unchanged */
  async record(record: AttemptRecord): Promise<number | null> {
    const { rows } = await this.database.write<{ failures: number | null }>(
      ...sql.RECORD.with({ ...this.limits, ...record }),
    );
    return rows[0]!.failures;
  }

  async claim(request: sql.ClaimRequest): Promise<Delivery[]> {
    const { rows } = await this.database.write<Delivery>(...sql.CLAIM.with({ ...this.limits, ...request }));
    // A claim that finds no delivery may return one row, whose `id` is null.
    return rows.filter(({ id }) => id !== null);
  }

  async states(): Promise<EndpointState[]> {
    return (await this.database.read<EndpointState>(sql.STATES)).rows;
  }

  /** Logs at most one error a minute, and none that the health check logs. */
  readonly report = (error: unknown): void => {
    const now = performance.now();
    if (isOutage(error) || now - this.reportedAt < QUIET_TIME) return;
    this.reportedAt = now;
    if (error instanceof DatabaseUnavailable) {
      this.logger.error(`A statement for events failed: ${(error.cause as Error).message}.`);
    } else {
      this.logger.error(error);
    }
  };
}
