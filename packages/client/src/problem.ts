import type { ProblemDto, ProblemType } from './types.js';

/**
 * A problem as it arrived (RFC 9457), with all its members. Without one, `type` is `about:blank`. A proxy or a later
 * service may have types beyond those of the TypeScript type.
 */
export type Problem = ProblemDto<ProblemType | 'about:blank'>;

export interface ProblemResponse {
  problem: Problem;
  status: number;
  requestId: string | undefined;
  retryAfter: number | undefined;
}
