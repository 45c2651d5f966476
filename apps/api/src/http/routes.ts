import { type OperationId, operations } from '@booking-service/contracts';
import { All, Controller, type MiddlewareConsumer, NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Problem } from './problem.js';
import { Reply } from './reply.js';

/** A path of OpenAPI as Express and Nest write it: `{x}` is `:x`. */
export function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Operations by the path of their route, then by method. */
const operationIds = new Map<string | undefined, Map<string, OperationId>>();
for (const [id, { method, path }] of Object.entries(operations)) {
  const route = routePath(path);
  operationIds.set(route, (operationIds.get(route) ?? new Map<string, OperationId>()).set(method, id as OperationId));
}

/** The operation of a route; undefined where it has none. */
export function operationAt(route: string | undefined, method: string): OperationId | undefined {
  return operationIds.get(route)?.get(method);
}

/** The operation that a request was routed to; `other` for all else, so that no caller can make up labels. */
export function operationOf(request: Request): string {
  const route = request.route as { path: string } | undefined;
  return operationAt(route?.path, request.method) ?? 'other';
}

/** Whether a path, or that of a route, belongs to the interface: it asks for tokens and is counted. */
export function isUnderV1(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}

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

/** Every path of /v1 that is no operation's, so that guards judge requests to it too. The last controller of /v1. */
@Controller('v1')
export class UnknownPathsController {
  @All(['', '{*path}'])
  reject(): never {
    throw new NotFoundException();
  }
}

/**
 * Has `admit` run for paths under /v1 that cannot be decoded. Express rejects those while it looks for their route,
 * before any guard, so a guard that is to judge every request of /v1 judges them here.
 */
export function atUndecodablePaths(
  consumer: MiddlewareConsumer,
  admit: (request: Request, response: Response) => Promise<void>,
): void {
  consumer
    .apply(async (request: Request, response: Response, next: NextFunction) => {
      try {
        if (!isDecodable(request.path)) await admit(request, response);
      } catch (error) {
        // Thrown here, it would be a problem of the path as it is beneath `/v1`.
        next(error);
        return;
      }
      next();
    })
    .forRoutes('v1');
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
