import type { OperationContract } from '@booking-service/contracts';
import { All, Controller, NotFoundException } from '@nestjs/common';
import type { Request } from 'express';
import { AnyToken } from './operation.js';
import { Problem } from './problem.js';
import { Reply } from './reply.js';

/** The value of `Allow` for a path with these operations. */
export function methodsOf(...operations: Pick<OperationContract, 'method'>[]): string {
  return [...operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

/** Responds to OPTIONS. @throws Problem `method-not-allowed` for any other method */
export function replyToOtherMethod({ method }: Request, allow: string): Reply {
  if (method === 'OPTIONS') return new Reply(204, { headers: { Allow: allow } });
  throw new Problem('method-not-allowed', `This path accepts ${allow}.`, { headers: { Allow: allow } });
}

/** The last controller of /v1: unknown paths require a token too. */
@Controller('v1')
export class UnknownPathsController {
  @All(['', '{*path}'])
  @AnyToken()
  reject(): never {
    throw new NotFoundException();
  }
}
