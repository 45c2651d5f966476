import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Moment } from '../moment.js';
import { inBrief, type Log } from './logger.js';
import type { Metrics } from './metrics.js';

interface Dependency {
  readonly name: string;
  check(): Promise<void>;
}

/** Milliseconds between checks of a dependency. */
const POLL_INTERVAL = 1_000;
/** Milliseconds after which a check counts as failed. */
const CHECK_TIMEOUT = 2_000;

/** Polls dependencies in the background, so that a health check never waits for one. */
export class Readiness implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /**
   * Set by `stopOnSignals`. While `stopping`, the service reports that it is not ready, and completes requests; while
   * `cutting`, it closes the remaining connections.
   */
  state: 'serving' | 'stopping' | 'cutting' = 'serving';
  /** Names of the dependencies that are down, each with the moment when it was lost. */
  private readonly lost = new Map<string, Moment>();
  private readonly closing = new AbortController();

  private readonly dependencies: Dependency[] = [];

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /**
   * @param name shown in the log, in the response of `/health/ready` and in the name of the metric, `NAME_up`
   * @param check throws an Error that says why the service cannot work; called about once a second
   * @param isUp the metric's value, for a dependency without which the service can work for a while
   */
  watch(name: string, check: () => Promise<void>, isUp = (): boolean => !this.lost.has(name)): void {
    this.dependencies.push({ name, check });
    const help = `Whether the ${name} was available when it was last asked`;
    this.metrics.watch(`${name}_up`, help, () => (isUp() ? 1 : 0));
  }

  get missing(): string[] {
    return [...this.lost.keys()];
  }

  /** Delays the first request until each dependency is known to be up or down, but no longer than a check may take. */
  async onApplicationBootstrap(): Promise<void> {
    const checks = this.dependencies.map((dependency) => this.check(dependency));
    this.dependencies.forEach((dependency, n) => void this.poll(dependency, checks[n]!));
    await Promise.race([Promise.all(checks), sleep(CHECK_TIMEOUT, undefined, { ref: false })]);
  }

  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  private async poll(dependency: Dependency, firstCheck: Promise<void>): Promise<void> {
    const { signal } = this.closing;
    for (let check = firstCheck; ; check = this.check(dependency)) {
      await check;
      await sleep(POLL_INTERVAL, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
    }
  }

  /** Waits for the check to end, even after its timeout, so that checks never overlap. */
  private async check(dependency: Dependency): Promise<void> {
    const late = () => this.markLost(dependency, new Error(`no response within ${CHECK_TIMEOUT} ms`));
    const timer = setTimeout(late, CHECK_TIMEOUT).unref();
    try {
      await dependency.check();
      this.markReady(dependency);
    } catch (error) {
      this.markLost(dependency, error);
    } finally {
      clearTimeout(timer);
    }
  }

  private markReady({ name }: Dependency): void {
    const since = this.lost.get(name);
    if (since === undefined || this.closing.signal.aborted) return;
    this.lost.delete(name);
    const seconds = Math.round((performance.now() - since) / 100) / 10;
    this.log.warn({ dependency: name, seconds }, 'Ready again');
  }

  private markLost({ name }: Dependency, error: unknown): void {
    if (this.lost.has(name) || this.closing.signal.aborted) return;
    this.lost.set(name, performance.now());
    const { message, cause } = error as Error;
    this.log.error({ dependency: name, reason: message, cause: inBrief(cause) }, 'Not ready');
  }
}
