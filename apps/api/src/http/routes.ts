import { type Operation, type OperationId, operations } from '@booking-service/contracts';
import { All, Controller, NotFoundException } from '@nestjs/common';
import type { Request } from 'express';
import { Problem } from './problem.js';
import { Reply } from './reply.js';

/** Each operation with its route, as Express writes it (`:x` for `{x}`). */
const routes = Object.entries<Operation>(operations).map(([id, { method, path }]) => {
  return { id: id as OperationId, method, route: path.replaceAll(/\{(\w+)\}/g, ':$1') };
});

/** The route of a request, as Express writes it; undefined where it has none. */
export function routeOf(request: Request): string | undefined {
  return (request.route as { path: string } | undefined)?.path;
}

/** The operation of a route; undefined where it has none. */
export function operationAt(route: string | undefined, method: string): OperationId | undefined {
  return routes.find((each) => each.route === route && each.method === method)?.id;
}

/** Whether a path, or that of a route, belongs to the interface: it may require tokens and is rate-limited. */
export function isUnderV1(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}

/** The methods of the operations at a route, with HEAD alongside GET (RFC 9110 §9.3.2), as `Allow` lists them. */
export function methodsAt(route: string | undefined): string {
  const here = routes.filter((each) => each.route === route);
  return [...here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

/**
 * The response to a method that no handler of a path takes; OPTIONS gets `Allow`.
 *
 * @param allow the methods of the path, as `Allow` lists them
 * @throws Problem `method-not-allowed` for every other method
 */
export function otherMethod({ method }: Request, allow: string): Reply {
  if (method === 'OPTIONS') return new Reply(204, undefined, '', ['Allow', allow]);
  throw new Problem('method-not-allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
}

/** Every path of /v1 without an operation, so that guards check requests to it too. The last controller of /v1. */
@Controller('v1')
export class UnknownPathsController {
  @All(['', '{*path}'])
  reject(): never {
    throw new NotFoundException();
  }
}
