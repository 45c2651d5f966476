import { operations } from '@booking-service/contracts';
import type { Request } from 'express';

/** A path of OpenAPI as Express and Nest write it: `{x}` is `:x`. */
export function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Operations by the path of their route, then by method. */
const operationIds = new Map<string | undefined, Map<string, string>>();
for (const [id, { method, path }] of Object.entries(operations)) {
  const route = routePath(path);
  operationIds.set(route, (operationIds.get(route) ?? new Map<string, string>()).set(method, id));
}

/** The operation that a request was routed to; `other` for all else, so that no caller can make up labels. */
export function operationOf(request: Request): string {
  const route = request.route as { path: string } | undefined;
  return operationIds.get(route?.path)?.get(request.method) ?? 'other';
}
