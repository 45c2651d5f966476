import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { inBrief, type Log } from './logger.js';

/** Something that the service depends on. */
export interface Dependency {
  /** Shown in the log and in the response of `/health/ready`. */
  readonly name: string;
  /** Whether it logs itself when it is lost and when it is back. */
  readonly isLogged: boolean;
  /** @throws Error that says why the service cannot work */
  check(): Promise<void>;
}

/** Milliseconds between two checks of a dependency. */
const POLL_INTERVAL = 1_000;
/** Milliseconds that a check may take before the dependency counts as lost. */
const CHECK_TIMEOUT = 2_000;

/** Knows which dependencies are missing. They are polled in the background, so that a health check waits for none. */
export class Readiness implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** When each missing dependency was lost. */
  private readonly lost = new Map<string, number>();
  private readonly closing = new AbortController();

  constructor(
    readonly dependencies: readonly Dependency[],
    private readonly log: Log,
  ) {}

  /** The names of the missing dependencies. */
  get missing(): string[] {
    return [...this.lost.keys()];
  }

  /** Called by Nest before the first request. Resolves when each dependency has been checked once. */
  async onApplicationBootstrap(): Promise<void> {
    await Promise.all(
      this.dependencies.map(async (dependency) => {
        const { decided, ended } = this.check(dependency);
        await decided;
        void this.poll(dependency, ended);
      }),
    );
  }

  /** Called by Nest when the service stops. */
  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  private async poll(dependency: Dependency, firstCheck: Promise<void>): Promise<void> {
    const { signal } = this.closing;
    for (let ended = firstCheck; ; ended = this.check(dependency).ended) {
      await ended;
      await sleep(POLL_INTERVAL, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
    }
  }

  /** `decided` resolves at the timeout at the latest; `ended` only with the check, so that checks never overlap. */
  private check(dependency: Dependency): { decided: Promise<void>; ended: Promise<void> } {
    let timer: NodeJS.Timeout;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.markLost(dependency, new Error(`no response within ${CHECK_TIMEOUT} ms`));
        resolve();
      }, CHECK_TIMEOUT).unref();
    });
    const ended = dependency
      .check()
      .then(
        () => this.markReady(dependency),
        (error: unknown) => this.markLost(dependency, error),
      )
      .finally(() => clearTimeout(timer));
    return { decided: Promise.race([ended, timeout]), ended };
  }

  private markReady({ name, isLogged }: Dependency): void {
    const since = this.lost.get(name);
    if (since === undefined || this.closing.signal.aborted) return;
    this.lost.delete(name);
    const seconds = Math.round((performance.now() - since) / 100) / 10;
    if (!isLogged) this.log.warn({ dependency: name, seconds }, 'Ready again');
  }

  private markLost({ name, isLogged }: Dependency, error: unknown): void {
    if (this.lost.has(name) || this.closing.signal.aborted) return;
    this.lost.set(name, performance.now());
    const { message, cause } = error as Error;
    if (!isLogged) this.log.error({ dependency: name, reason: message, cause: inBrief(cause) }, 'Not ready');
  }
}
