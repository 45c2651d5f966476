import { type OperationId, operations } from '@booking-service/contracts';
import type { Request } from 'express';
import { Problem } from './problem.js';
import { Reply } from './reply.js';

/** What a page that is only read takes. */
export const PAGE_METHODS = 'GET, HEAD, OPTIONS';

/**
 * The methods of the operations at a path, with HEAD beside GET (RFC 9110 §9.3.2), as `Allow` lists them.
 *
 * @param path as OpenAPI writes it
 */
export function methodsAt(path: (typeof operations)[OperationId]['path']): string {
  const methods = Object.values(operations)
    .filter((operation) => operation.path === path)
    .map(({ method }) => method);
  return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

/**
 * The response to a method that nothing at a path handles: to OPTIONS, what does.
 *
 * @param allow the methods of the path, as `Allow` lists them
 * @throws Problem `method-not-allowed` for every other method
 */
export function otherMethod({ method }: Request, allow: string): Reply {
  if (method === 'OPTIONS') return new Reply(204, undefined, '', ['Allow', allow]);
  throw new Problem('method-not-allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
}
