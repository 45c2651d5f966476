import { Logger } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Hosts } from './hosts.js';
import { ConnectionPool, type PoolSettings } from './pool.js';
import type { Statement } from './statement.js';

/** Milliseconds that a standby has for a connection, and for a response. */
const STANDBY_TIMEOUT = 200;

/** Milliseconds without queries after one that failed. */
const PAUSE = 1_000;

/** Milliseconds without such a failure after which standbys count as back. */
const RECOVERED = 2_000;

/** Servers that may lag behind the primary. */
export class Standbys {
  private readonly pool: ConnectionPool;
  /** Instant of `performance.now()` until which no standby is queried. */
  private pausedUntil = 0;
  private isLost = false;
  private readonly logger = new Logger('database');

  constructor(url: string, settings: PoolSettings) {
    const limits = { connectTimeout: STANDBY_TIMEOUT, statementTimeout: STANDBY_TIMEOUT };
    this.pool = new ConnectionPool(new Hosts(url, 'any'), { ...settings, ...limits });
  }

  /** Rows of a statement, none if no standby responds in time. They may be out of date. */
  async query<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    if (performance.now() < this.pausedUntil) return [];
    try {
      const { rows } = await this.pool.run<Row>(statement, values);
      if (this.isLost && performance.now() >= this.pausedUntil - PAUSE + RECOVERED) {
        this.isLost = false;
        this.logger.log('A standby responds again.');
      }
      return rows;
    } catch (error) {
      if (!this.isLost) this.logger.warn(`No standby responds; using the primary: ${(error as Error).message}`);
      this.isLost = true;
      this.pausedUntil = performance.now() + PAUSE;
      return [];
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
