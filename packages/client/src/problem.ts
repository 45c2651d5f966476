import type { ProblemDto, ProblemType } from './types.js';

/**
 * A problem as it arrived (RFC 9457), with all its members. `type` is `about:blank` if there was none. A proxy or a
 * later version of the service may send types that the TypeScript type does not have.
 */
export type Problem = ProblemDto<ProblemType | 'about:blank'>;

export interface ProblemResponse {
  problem: Problem;
  status: number;
  requestId: string | undefined;
  retryAfter: number | undefined;
}
