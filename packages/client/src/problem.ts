import type { ProblemDto, ProblemType } from './types.js';

/**
 * A problem (RFC 9457) with all members that arrived. Missing or malformed ones have a default, such as `about:blank`
 * for `type`, or are left out. A proxy or a later version of the service may send types that the TypeScript type does
 * not have.
 */
export type Problem = ProblemDto<ProblemType | 'about:blank'>;

export interface ProblemResponse {
  problem: Problem;
  status: number;
  requestId: string | undefined;
  retryAfter: number | undefined;
}
