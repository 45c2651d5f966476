import type { JsonSchema } from '../../bookings/booking-schema.js';

/** Keywords whose values are data, even where they look like schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose values map names to schemas. */
const MAPS = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas']);

/**
 * Copies a schema for a place in a larger document, and makes its references start at that place.
 *
 * @throws Error for a reference that leads out of the schema, or to an anchor
 */
export function movedTo(place: string, schema: JsonSchema): JsonSchema {
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    return isObject(value) ? movedTo(place, value) : value;
  };
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === '$ref') return [keyword, place + withinRoot(String(value))];
    if (DATA.has(keyword)) return [keyword, value];
    if (!MAPS.has(keyword)) return [keyword, moved(value)];
    return [keyword, Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, moved(part)]))];
  });
  return Object.fromEntries(entries) as JsonSchema;
}

function withinRoot(reference: string): string {
  if (/^#(?:\/|$)/.test(reference)) return reference.slice(1);
  throw new Error(`\`${reference}\` is not within the file: a \`$ref\` begins with \`#/\`.`);
}

/** The segments of a JSON Pointer (RFC 6901 §4) after its first `/`. */
export function segmentsOf(pointer: string): string[] {
  const [, ...segments] = pointer.split('/');
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
