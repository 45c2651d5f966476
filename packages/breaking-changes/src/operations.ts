import { expand, type Json, resolve } from './references.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** What an operation says, with what its path says for all of its operations. */
export interface Operation extends Json {
  parameters: Json[];
}

/** By method and path; the names of path parameters make no difference to those who call. */
export function operationsOf(document: Json): Map<string, { name: string; operation: Operation }> {
  const operations = new Map<string, { name: string; operation: Operation }>();
  for (const [path, item] of Object.entries((document['paths'] ?? {}) as Json)) {
    for (const { method, operation } of methodsOf(item, path, document)) {
      const name = `${method} ${path}`;
      operations.set(name.replaceAll(/\{[^}]*\}/g, '{}'), { name, operation });
    }
  }
  return operations;
}

/** The operations of a path item. */
export function methodsOf(value: unknown, path: string, document: Json): { method: string; operation: Operation }[] {
  const item = resolve(value, document);
  return METHODS.filter((method) => method in item).map((method) => {
    const own = item[method] as Json;
    const parameters = [...parametersOf(item, path, document), ...parametersOf(own, path, document)];
    return { method: method.toUpperCase(), operation: { servers: item['servers'], ...own, parameters } };
  });
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

/** The addresses at which an operation is served. */
export function serversOf(operation: Operation, document: Json): unknown[] {
  const servers = (operation['servers'] ?? document['servers'] ?? [{ url: '/' }]) as Json[];
  return servers.map(({ url }) => url);
}

/** The ways to be let in, each with its schemes as they are defined. */
export function securityOf(operation: Operation, document: Json): string[] {
  const schemes = ((document['components'] ?? {}) as Json)['securitySchemes'] as Json | undefined;
  const ways = (operation['security'] ?? document['security'] ?? []) as Json[];
  const nothing = ways.length === 0 ? [{}] : ways;
  return nothing.map((way) =>
    JSON.stringify(Object.entries(way).map(([name, scopes]) => [expand(schemes?.[name], document), scopes])),
  );
}
