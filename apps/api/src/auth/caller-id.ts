import type { Request } from 'express';
import type { Caller } from './token-verifier.js';

export interface GuardedRequest extends Request {
  /** Set by the guard. */
  caller?: Caller;
}

/** The id of the caller; undefined where the service asks for no token. */
export function callerIdOf(request: GuardedRequest): string | undefined {
  return request.caller?.id;
}
