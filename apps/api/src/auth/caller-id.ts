import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { requestOf } from '../http/context.js';
import type { Caller } from './token-verifier.js';

export interface GuardedRequest extends Request {
  /** Set by the guard. */
  caller?: Caller;
}

/** The id of the caller; undefined where the service asks for no token. */
export const CallerId = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  return (requestOf(context) as GuardedRequest).caller?.id;
});
