import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PayloadPlan } from './payloads.js';
import { LOAD_CORE, nodeOn } from './pinning.js';

export interface FixedRequest {
  readonly path: string;
  readonly body?: string;
  readonly key?: string;
}

/** Some requests in turn, over and over, or creates that are all different. */
export type Requests =
  | { readonly method: 'GET' | 'POST'; readonly inTurn: readonly FixedRequest[] }
  | { readonly method: 'POST'; readonly path: string; readonly payloads: PayloadPlan; readonly firstNumber: number };

export interface Load {
  readonly url: string;
  readonly requests: Requests;
  /** The one status that every response must have. */
  readonly status: number;
}

/** A number of requests as fast as the server responds. */
export interface Burst extends Load {
  readonly amount: number;
  readonly connections: number;
  /** Of every so many responses the id is kept; 0 keeps none. */
  readonly idEvery?: number;
}

export interface BurstResult {
  readonly seconds: number;
  readonly ids: string[];
  /** The number of the next payload that was not used. */
  readonly nextNumber: number;
}

/** Requests at a fixed rate, whether or not the responses keep up. */
export interface Steady extends Load {
  /** Per second. */
  readonly rate: number;
  readonly seconds: number;
}

export interface SteadyResult {
  /** Milliseconds from the sending of a request to the end of its response. */
  readonly p50: number;
  readonly p99: number;
  readonly nextNumber: number;
}

export type LoadMessage = { burst: Burst } | { steady: Steady };
export type LoadReply<Result> = { result: Result } | { fault: string };

/** The load generator: one process, used for all servers. */
export class LoadGenerator {
  private readonly child: ChildProcess;

  constructor({ pinned }: { pinned: boolean }) {
    const program = fileURLToPath(new URL('load-process.js', import.meta.url));
    const [command, args] = nodeOn(pinned ? LOAD_CORE : undefined, [program]);
    this.child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  }

  /** @throws Error when any response is not the one that was expected */
  burst(burst: Burst): Promise<BurstResult> {
    return this.run({ burst });
  }

  /** @throws Error when any response is not the one that was expected */
  steady(steady: Steady): Promise<SteadyResult> {
    return this.run({ steady });
  }

  stop(): void {
    this.child.disconnect();
  }

  private async run<Result>(message: LoadMessage): Promise<Result> {
    this.child.send(message);
    const [reply] = (await once(this.child, 'message')) as [LoadReply<Result>];
    if ('fault' in reply) throw new Error(reply.fault);
    return reply.result;
  }
}
