import { Comparison, show } from './comparison.js';
import { type Operation, operationsOf, securityOf, serversOf } from './operations.js';
import type { Json } from './references.js';
import { compareRequests } from './request-changes.js';
import { compareResponses } from './response-changes.js';
import { compareWebhooks } from './webhook-changes.js';

/**
 * What of the newer document would break a consumer that relied on the older one, a sentence each: what was
 * removed or narrowed, and new demands. New operations and webhooks, optional parameters, members of responses, problem types
 * and error statuses break nothing (docs/interface.md). A change that this check does not know counts as a break.
 *
 * @param before OpenAPI 3.1, as is `after`
 * @throws Error for another version of OpenAPI, and for a reference that leads to nothing
 */
export function breakingChanges(before: Json, after: Json): string[] {
  for (const { openapi } of [before, after]) {
    if (!/^3\.1\.\d+$/.test(String(openapi))) throw new Error(`This check reads OpenAPI 3.1, not ${show(openapi)}`);
  }
  const comparison = new Comparison(before, after);
  const is = operationsOf(after);
  for (const [key, { name, operation }] of operationsOf(before)) {
    const newer = is.get(key);
    if (newer === undefined) comparison.report(name, 'is gone');
    else compareOperations(comparison, operation, newer.operation, name);
  }
  compareWebhooks(comparison);
  return comparison.found;
}

function compareOperations(comparison: Comparison, before: Operation, after: Operation, name: string): void {
  for (const member of ['operationId', 'callbacks']) {
    if (comparison.isSame(before[member], after[member])) continue;
    comparison.report(name, `\`${member}\` was ${show(before[member])} and is ${show(after[member])}`);
  }
  const servers = serversOf(after, comparison.after);
  for (const url of serversOf(before, comparison.before)) {
    if (!servers.includes(url)) comparison.report(name, `is not served at ${show(url)} any more`);
  }
  const open = securityOf(after, comparison.after);
  if (securityOf(before, comparison.before).some((way) => !open.includes(way))) {
    comparison.report(name, 'asks for other credentials (`security`)');
  }
  compareRequests(comparison, before, after, name);
  compareResponses(comparison, before, after, name);
}
