import type { FieldErrorDto, ProblemDto, ProblemType } from './types.js';

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

export function adviceToCorrect(what: string, errors: readonly FieldErrorDto[]): string {
  if (errors.length === 0) return `Correct the ${what}.`;
  return `Correct the ${what}: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`;
}

export function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'Check the value of `token`.';
  if (status === 404 || status === 405) return 'Check that baseUrl leads to a booking service.';
  if (status === 408 || status === 429 || status >= 500) return 'Try again later.';
  return 'Change the request; the same one will be rejected again.';
}
