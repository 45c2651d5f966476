import { Pool, type PoolState } from './pool.js';
import type { SessionSettings } from './session.js';

/** Maximum connections for writes. A few are enough, since waiting creates share a statement. */
const MAX_WRITERS = 4;
/** Minimum connections for reads where the size allows it: one of several is for short reads. */
const MIN_READERS = 2;
/** Maximum unanswered reads on one connection. */
const MAX_SHARED = 32;

/** How the connections of a process are shared out. @param poolSize 2 or more */
export function sharesOf(poolSize: number) {
  const writers = Math.max(1, Math.min(MAX_WRITERS, poolSize - MIN_READERS));
  /** Maximum writes at once that wait for their commits: the last connection is for short writes. */
  const longWrites = Math.max(1, writers - 1);
  return { writers, readers: poolSize - writers, longWrites };
}

/** Separate connections for reads, which continue while writes wait for a synchronous standby. */
export class Pools {
  readonly reads: Pool;
  readonly writes: Pool;

  constructor(settings: SessionSettings & { readonly poolSize: number }) {
    const { readers, writers } = sharesOf(settings.poolSize);
    // Some poolers do not support pipelined statements.
    const maxUnanswered = settings.isPooled ? 1 : MAX_SHARED;
    this.reads = new Pool({ ...settings, size: readers, maxUnanswered, holdsAbandoned: false });
    this.writes = new Pool({ ...settings, size: writers, maxUnanswered: 1, holdsAbandoned: true });
  }

  get state(): PoolState {
    const reads = this.reads.state;
    const writes = this.writes.state;
    return {
      total: reads.total + writes.total,
      idle: reads.idle + writes.idle,
      waiting: reads.waiting + writes.waiting,
    };
  }

  close(): void {
    this.writes.close();
    this.reads.close();
  }
}
