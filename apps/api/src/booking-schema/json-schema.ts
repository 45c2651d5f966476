import type { JsonSchema } from './booking-schema.js';

/** Keywords whose schemas speak of the same object as the schema that has them (JSON Schema 2020-12, core, §10.2). */
const LISTS_IN_PLACE = ['allOf', 'anyOf', 'oneOf'];
const SCHEMAS_IN_PLACE = ['if', 'then', 'else', 'not'];

/** The members that a schema names at the top of a payload, wherever in it: described, or required. */
export function membersNamedBy(root: JsonSchema): Set<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (schema: unknown): void => {
    if (!isObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    const { properties, required, dependentSchemas, dependentRequired, $ref } = schema;
    for (const described of [properties, dependentSchemas, dependentRequired]) {
      if (isObject(described)) for (const name of Object.keys(described)) names.add(name);
    }
    const demanded = [required, ...(isObject(dependentRequired) ? Object.values(dependentRequired) : [])];
    for (const name of demanded.flat()) if (typeof name === 'string') names.add(name);
    for (const keyword of SCHEMAS_IN_PLACE) visit(schema[keyword]);
    for (const keyword of LISTS_IN_PLACE) if (Array.isArray(schema[keyword])) schema[keyword].forEach(visit);
    if (isObject(dependentSchemas)) Object.values(dependentSchemas).forEach(visit);
    if (typeof $ref === 'string') visit(lookUp(root, $ref));
  };
  visit(root);
  return names;
}

/** The references of a schema that lead out of it, or to a name and not a place. */
export function foreignReferences(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const { $ref, $dynamicRef } = schema;
  const own = [$ref, $dynamicRef].filter((reference) => typeof reference === 'string');
  return [
    ...own.filter((reference) => reference !== '#' && !reference.startsWith('#/')),
    ...Object.values(schema).flatMap(foreignReferences),
  ];
}

/** The schema with its references, which begin at its own root, beginning at `place` of a larger document. */
export function movedTo(place: string, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => movedTo(place, item));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === '$ref' && typeof value === 'string' ? `${place}${value.slice(1)}` : movedTo(place, value),
    ]),
  );
}

function lookUp(root: JsonSchema, reference: string): unknown {
  const segments = reference.split('/').slice(1);
  return segments.reduce<unknown>((found, segment) => {
    const name = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(found) ? found[name] : undefined;
  }, root);
}

/** Lists too: their items are looked into as members are. */
function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}
