import type { JsonSchema } from '../../bookings/booking-schema.js';

/** Keywords whose values are data, whatever they look like. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose values have a schema under each name. */
const MAPS = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas']);

const MAX_ENUM = 1_000;
const MAX_SIZE = 10_000;

/**
 * How much there is to check in each value: schemas, and values of an `enum`, those of a reference wherever it is.
 *
 * @throws Error in one line where a payload of few bytes could be checked for long: recursion, an `enum` of more than
 *   1,000 values, a size above 10,000; and for references that lead out of the schema or to a name
 */
export function sizeOf(root: JsonSchema): number {
  /** Those of the schemas that were visited; 0 while the schemas within one are. */
  const sizes = new Map<JsonSchema, number>();
  const visit = (schema: JsonSchema): number => {
    const known = sizes.get(schema);
    if (known === 0) throw new Error('it refers to itself: no schema may be part of itself.');
    if (known !== undefined) return known;
    const { $defs: _, definitions: __, $ref, enum: values, ...applied } = schema;
    if ((schema !== root && schema['$id'] !== undefined) || schema['$dynamicRef'] !== undefined) {
      throw new Error('no part of it may have an `$id` or a `$dynamicRef`.');
    }
    const own = Array.isArray(values) ? values.length : 0;
    if (own > MAX_ENUM) throw new Error(`an \`enum\` has ${own} values, more than ${MAX_ENUM}.`);
    sizes.set(schema, 0);
    const parts = [...partsOf(applied), ...(typeof $ref === 'string' ? [lookUp(root, $ref)] : [])];
    const size = parts.reduce((sum, part) => sum + visit(part), 1 + own);
    sizes.set(schema, size);
    return size;
  };
  const size = visit(root);
  if (size > MAX_SIZE) throw new Error(`it has ${size} parts, more than ${MAX_SIZE}.`);
  return size;
}

/** The schema with its references, which begin at its own root, beginning at `place` of a larger document. */
export function movedTo(place: string, schema: JsonSchema): JsonSchema {
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    return isObject(value) ? movedTo(place, value) : value;
  };
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === '$ref') return [keyword, `${place}${String(value).slice(1)}`];
    if (DATA.has(keyword)) return [keyword, value];
    if (!MAPS.has(keyword)) return [keyword, moved(value)];
    return [keyword, Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, moved(part)]))];
  });
  return Object.fromEntries(entries) as JsonSchema;
}

/** The segments of a JSON Pointer (RFC 6901 §4), without what is before its first `/`. */
export function segmentsOf(pointer: string): string[] {
  const [, ...segments] = pointer.split('/');
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The schemas directly within a schema. */
function partsOf(schema: JsonSchema): JsonSchema[] {
  return Object.entries(schema)
    .flatMap(([keyword, value]) => {
      if (DATA.has(keyword)) return [];
      return MAPS.has(keyword) && isObject(value) ? Object.values(value) : [value].flat();
    })
    .filter(isObject);
}

/** @param reference in the URI fragment form of a pointer (RFC 6901 §6), without percent-encoding */
function lookUp(root: JsonSchema, reference: string): JsonSchema {
  const found = segmentsOf(reference).reduce<unknown>(
    (schema, name) => (isObject(schema) || Array.isArray(schema) ? (schema as JsonSchema)[name] : undefined),
    root,
  );
  if (!/^#(?:\/[^%]*)?$/.test(reference) || found === undefined) {
    throw new Error(
      `\`${reference}\` is not within the file: a \`$ref\` begins with \`#/\`, has no \`%\` and leads to a schema.`,
    );
  }
  return isObject(found) ? found : {};
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
