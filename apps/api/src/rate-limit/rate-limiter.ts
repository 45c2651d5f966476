import { Inject, Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { Counters } from './counters.js';

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

/** Counts the requests of callers. */
@Injectable()
export class RateLimiter {
  /** Requests that were let through uncounted. */
  private readonly uncounted: Counter;
  private readonly logger = new Logger('rate-limit');
  private isAway = false;

  /** @param registry gets the metric of uncounted requests */
  constructor(
    private readonly counters: Counters,
    @Inject(RATE_LIMIT_SETTINGS) private readonly settings: RateLimitSettings,
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
      const { requests, left } = await this.counters.count(caller);
      if (this.isAway) this.logger.warn('Requests are counted again.');
      this.isAway = false;
      const remaining = Math.max(0, this.settings.requests - requests);
      return {
        isAllowed: requests <= this.settings.requests,
        remaining,
        reset: Math.max(1, Math.ceil(left / 1_000)),
      };
    } catch (error) {
      this.uncounted.inc();
      // Logged once, however many requests it concerns.
      if (!this.isAway) this.logger.warn(`Requests are let through uncounted: ${(error as Error).message}`);
      this.isAway = true;
      return undefined;
    }
  }
}
