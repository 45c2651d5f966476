import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { inBrief, type Log, LOG } from './logger.js';

/** Something that the service needs for its work. */
export interface Dependency {
  /** For people and for the log. */
  readonly name: string;
  /** Whether it has lines of its own for when it is lost and when it is back. */
  readonly isLogged: boolean;
  /** @throws Error that says why the service cannot do its work */
  check(): Promise<void>;
}

/** The token under which Nest injects the dependencies. */
export const DEPENDENCIES = Symbol('dependencies');

/** Milliseconds between two looks at a dependency, and for each look. */
const INTERVAL = 1_000;
const PATIENCE = 2_000;

/** Which dependencies are there now. They are looked at all the time, so that whoever asks waits for none of them. */
@Injectable()
export class Readiness implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** When each of those that are not there was lost. */
  private readonly lost = new Map<string, number>();
  private readonly closing = new AbortController();

  constructor(
    @Inject(DEPENDENCIES) private readonly dependencies: readonly Dependency[],
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The names of the dependencies that are not there. */
  get missing(): string[] {
    return [...this.lost.keys()];
  }

  /** Called by Nest before the first request. Resolves when each dependency was looked at once. */
  async onApplicationBootstrap(): Promise<void> {
    await Promise.all(
      this.dependencies.map(async (dependency) => {
        const { isJudged, isOver } = this.look(dependency);
        await isJudged;
        void this.goOnLooking(dependency, isOver);
      }),
    );
  }

  /** Called by Nest when the service stops. */
  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  private async goOnLooking(dependency: Dependency, begun: Promise<unknown>): Promise<void> {
    const { signal } = this.closing;
    for (let look = begun; ; look = this.look(dependency).isOver) {
      await look;
      await sleep(INTERVAL, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
    }
  }

  /** A look that takes too long finds the dependency lost, and is waited for before the next one. */
  private look(dependency: Dependency): { isJudged: Promise<void>; isOver: Promise<void> } {
    let timer: NodeJS.Timeout;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.missed(dependency, new Error(`no response within ${PATIENCE} ms`));
        resolve();
      }, PATIENCE).unref();
    });
    const isOver = dependency
      .check()
      .then(
        () => this.found(dependency),
        (error: unknown) => this.missed(dependency, error),
      )
      .finally(() => clearTimeout(timer));
    return { isJudged: Promise.race([isOver, late]), isOver };
  }

  private found({ name, isLogged }: Dependency): void {
    const since = this.lost.get(name);
    if (since === undefined || this.closing.signal.aborted) return;
    this.lost.delete(name);
    const seconds = Math.round((performance.now() - since) / 100) / 10;
    if (!isLogged) this.log.warn({ dependency: name, seconds }, 'Ready again');
  }

  private missed({ name, isLogged }: Dependency, error: unknown): void {
    if (this.lost.has(name) || this.closing.signal.aborted) return;
    this.lost.set(name, performance.now());
    const { message, cause } = error as Error;
    if (!isLogged) this.log.error({ dependency: name, reason: message, cause: inBrief(cause) }, 'Not ready');
  }
}
