import type { Operation } from '@booking-service/contracts';
import { All, Controller, NotFoundException } from '@nestjs/common';
import type { Request } from 'express';
import { NoOperation } from './operation.js';
import { Problem } from './problem.js';
import { Reply } from './reply.js';

/** The methods of these operations, with HEAD alongside GET (RFC 9110 §9.3.2), as `Allow` lists them. */
export function methodsOf(...operations: Pick<Operation, 'method'>[]): string {
  return [...operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

/**
 * The response to a method that no handler of a path takes; OPTIONS gets `Allow`.
 *
 * @param allow the methods of the path, as `Allow` lists them
 * @throws Problem `method-not-allowed` for every other method
 */
export function otherMethod({ method }: Request, allow: string): Reply {
  if (method === 'OPTIONS') return new Reply(204, undefined, '', { Allow: allow });
  throw new Problem('method-not-allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
}

/** Every path of /v1 without an operation, so that guards check requests to it too. The last controller of /v1. */
@Controller('v1')
export class UnknownPathsController {
  @All(['', '{*path}'])
  @NoOperation()
  reject(): never {
    throw new NotFoundException();
  }
}
