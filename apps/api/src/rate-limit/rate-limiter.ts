import { Inject, Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';

export const RATE_LIMIT_SETTINGS = Symbol('rate limit settings');

export interface RateLimitSettings {
  /** Requests that a caller has in a window. */
  readonly requests: number;
  /** Seconds of a window, which begins with a caller's first request. */
  readonly window: number;
}

/** What a caller has left. */
export interface Allowance {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly reset: number;
}

/** Milliseconds to wait for the shared counters: a store that hangs must not hold up every request. */
const TIMEOUT = 250;

/** The token under which Nest injects the counters. */
export const COUNTERS = Symbol('counters');

/** The counters of this process alone. */
export function countersInMemory({ requests, window }: RateLimitSettings): RateLimiterAbstract {
  return new RateLimiterMemory({ points: requests, duration: window, keyPrefix: '' });
}

/** The counters of all replicas that share a database. */
export function countersIn(database: Database, { requests, window }: RateLimitSettings): RateLimiterAbstract {
  return new RateLimiterPostgres({
    points: requests,
    duration: window,
    keyPrefix: '',
    storeClient: {
      query: ({ values, ...statement }: Statement & { values: unknown[] }) =>
        within(TIMEOUT, database.run(statement, values)),
    },
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    // Callers over the limit are rejected from memory, so that a flood does not reach the database.
    inMemoryBlockOnConsumed: requests + 1,
  });
}

/** Counts the requests of callers. */
@Injectable()
export class RateLimiter {
  /** Requests that were let through uncounted. */
  private readonly uncounted: Counter;
  private readonly logger = new Logger('rate-limit');
  private isAway = false;

  /** @param registry gets the metric of uncounted requests */
  constructor(
    @Inject(COUNTERS) private readonly counters: RateLimiterAbstract,
    registry: Registry,
  ) {
    this.uncounted = new Counter({
      name: 'rate_limit_uncounted_total',
      help: 'Requests let through uncounted because the store of the counters did not respond',
      registers: [registry],
    });
  }

  /**
   * Counts one request.
   *
   * @returns undefined if it could not be counted. Such a request is let through: the counters are in the same store as
   *   the bookings, and a limit that rejects everyone would make a small fault a large one.
   */
  async count(caller: string): Promise<Allowance | undefined> {
    try {
      const allowance = allowanceOf(await this.counters.consume(caller), true);
      if (this.isAway) this.logger.warn('Requests are counted again.');
      this.isAway = false;
      return allowance;
    } catch (outcome) {
      if (outcome instanceof RateLimiterRes) return allowanceOf(outcome, false);
      this.uncounted.inc();
      // Logged once, however many requests it concerns.
      if (!this.isAway) this.logger.warn(`Requests are let through uncounted: ${(outcome as Error).message}`);
      this.isAway = true;
      return undefined;
    }
  }
}

function allowanceOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isAllowed: boolean): Allowance {
  return { isAllowed, remaining: remainingPoints, reset: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
}

/** @throws Error when `work` takes longer than so many milliseconds */
async function within<Result>(timeout: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${timeout} ms`)), timeout);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
