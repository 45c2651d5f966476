import { Comparison, show } from './comparison.js';
import { expand, type Json, resolve } from './references.js';
import { compareRequests } from './request-changes.js';
import { compareResponses } from './response-changes.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** What an operation says, with what its path says for all of its operations. */
export interface Operation extends Json {
  parameters: Json[];
}

/**
 * What of the newer document would break a consumer that relied on the older one, a sentence each: what was
 * removed or narrowed, and new demands. New operations, optional parameters, members of answers, problem types
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

/** By method and path; the names of path parameters make no difference to those who call. */
function operationsOf(document: Json): Map<string, { name: string; operation: Operation }> {
  const operations = new Map<string, { name: string; operation: Operation }>();
  for (const [path, value] of Object.entries((document['paths'] ?? {}) as Json)) {
    const item = resolve(value, document);
    for (const method of METHODS.filter((method) => method in item)) {
      const own = item[method] as Json;
      const parameters = [...parametersOf(item, path, document), ...parametersOf(own, path, document)];
      const name = `${method.toUpperCase()} ${path}`;
      const operation = { servers: item['servers'], ...own, parameters };
      operations.set(name.replaceAll(/\{[^}]*\}/g, '{}'), { name, operation });
    }
  }
  return operations;
}

function parametersOf(declarer: Json, path: string, document: Json): Json[] {
  const parameters = (declarer['parameters'] ?? []) as Json[];
  return parameters.map((parameter) => byPosition(resolve(parameter, document), path));
}

/** Callers see where a parameter is in the path, and not its name. */
function byPosition(parameter: Json, path: string): Json {
  if (parameter['in'] !== 'path') return parameter;
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  return { ...parameter, name: `{${names.indexOf(String(parameter['name']))}}` };
}

function serversOf(operation: Operation, document: Json): unknown[] {
  const servers = (operation['servers'] ?? document['servers'] ?? [{ url: '/' }]) as Json[];
  return servers.map(({ url }) => url);
}

/** The ways to be let in, each with its schemes as they are defined. */
function securityOf(operation: Operation, document: Json): string[] {
  const schemes = ((document['components'] ?? {}) as Json)['securitySchemes'] as Json | undefined;
  const ways = (operation['security'] ?? document['security'] ?? []) as Json[];
  const nothing = ways.length === 0 ? [{}] : ways;
  return nothing.map((way) =>
    JSON.stringify(Object.entries(way).map(([name, scopes]) => [expand(schemes?.[name], document), scopes])),
  );
}
