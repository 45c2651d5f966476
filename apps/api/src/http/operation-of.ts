import { type OperationId, operations } from '@booking-service/contracts';
import type { Request } from 'express';

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
