import { Logger } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Hosts } from './hosts.js';
import { ConnectionPool, type PoolSettings } from './pool.js';
import type { Statement } from './statement.js';

/** Milliseconds that a standby has for a connection and for a response, each. */
const PATIENCE = 200;

/** Milliseconds for which it is left alone after it had none in time. */
const PAUSE = 1_000;

/** Milliseconds without such a fault after which standbys count as back. */
const RECOVERED = 2_000;

/** Servers that may be behind. */
export class Standbys {
  private readonly pool: ConnectionPool;
  /** Instant of `performance.now()` until which none is asked. */
  private pausedUntil = 0;
  private isLost = false;
  private readonly logger = new Logger('database');

  constructor(url: string, settings: PoolSettings) {
    const limits = { connectTimeout: PATIENCE, statementTimeout: PATIENCE };
    this.pool = new ConnectionPool(new Hosts(url, 'any'), { ...settings, ...limits });
  }

  /** Rows of a statement, where one responds soon; none where not. They may be old. */
  async glance<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    if (performance.now() < this.pausedUntil) return [];
    try {
      const { rows } = await this.pool.run<Row>(statement, values);
      if (this.isLost && performance.now() >= this.pausedUntil - PAUSE + RECOVERED) {
        this.isLost = false;
        this.logger.log('A standby responds again.');
      }
      return rows;
    } catch (error) {
      if (!this.isLost) this.logger.warn(`No standby responds, the primary is asked: ${(error as Error).message}`);
      this.isLost = true;
      this.pausedUntil = performance.now() + PAUSE;
      return [];
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
