import type { ProblemDto, ProblemType } from './types.js';

/**
 * A problem as it arrived (RFC 9457). Members beyond those of the contract are kept. `type` is `about:blank` where there
 * was none. Its TypeScript type lists the service's, so that no slip compiles; a proxy or a later service may have others.
 */
export type Problem = ProblemDto<ProblemType | 'about:blank'>;

/** An error response, read. */
export interface ProblemResponse {
  problem: Problem;
  status: number;
  requestId: string | undefined;
  retryAfter: number | undefined;
}
