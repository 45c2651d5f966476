/** A JSON object of the document, with whatever members it has. */
export type Json = Record<string, unknown>;

/** Keywords of a schema that say nothing about which values it takes. */
const ANNOTATIONS = new Set([
  '$anchor',
  '$comment',
  '$defs',
  '$id',
  '$schema',
  'deprecated',
  'description',
  'example',
  'examples',
  'externalDocs',
  'readOnly',
  'title',
  'writeOnly',
  'xml',
]);

export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith('x-');
}

/**
 * What a value refers to, or the value itself.
 *
 * @throws Error for a reference that leads out of the document, or nowhere
 */
export function resolve(value: unknown, document: Json): Json {
  const { $ref } = value as Json;
  return typeof $ref === 'string' ? resolve(find($ref, document), document) : (value as Json);
}

/** What a JSON Pointer in its URI fragment form leads to (RFC 6901 §6). */
export function find(reference: string, document: Json): Json {
  let found: unknown = reference.startsWith('#/') ? document : undefined;
  for (const segment of decodeURIComponent(reference).split('/').slice(1)) {
    found = (found as Json | undefined)?.[segment.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  if (found === undefined) throw new Error(`The reference ${reference} leads to nothing in the document`);
  return found as Json;
}

/**
 * A value with its references written out and its annotations left out, to be compared as a whole. A
 * reference within what it refers to stays.
 */
export function expand(value: unknown, document: Json, within: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((element) => expand(element, document, within));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...members } = value as Json;
  const expanded: Json = {};
  for (const [name, member] of Object.entries(members)) {
    if (!isAnnotation(name)) expanded[name] = expand(member, document, within);
  }
  if (typeof $ref !== 'string') return expanded;
  const target = within.includes($ref) ? $ref : expand(find($ref, document), document, [...within, $ref]);
  return Object.keys(expanded).length === 0 ? target : { ...expanded, $ref: target };
}
