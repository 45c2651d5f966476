export type JsonSchema = Record<string, unknown>;

/** Keywords whose schemas speak of the same value as the schema that has them (JSON Schema 2020-12, core, §10.2). */
const LISTS_IN_PLACE = ['allOf', 'anyOf', 'oneOf'];
const SCHEMAS_IN_PLACE = ['if', 'then', 'else', 'not'];

/** A schema, and every other one that speaks of the same value: its alternatives, conditions and references. */
export function schemasInPlace(root: JsonSchema, schema: unknown): JsonSchema[] {
  const found = new Set<JsonSchema>();
  const visit = (part: unknown): void => {
    if (!isObject(part) || found.has(part)) return;
    found.add(part);
    for (const keyword of SCHEMAS_IN_PLACE) visit(part[keyword]);
    for (const keyword of LISTS_IN_PLACE) if (Array.isArray(part[keyword])) part[keyword].forEach(visit);
    if (isObject(part['dependentSchemas'])) Object.values(part['dependentSchemas']).forEach(visit);
    for (const reference of referencesOf(part)) visit(lookUp(root, reference));
  };
  visit(schema);
  return [...found];
}

/** The members that a schema names in its value, wherever in it: described, or required. */
export function membersNamedBy(root: JsonSchema, schema: unknown): Set<string> {
  const names = new Set<string>();
  for (const { properties, required, dependentSchemas, dependentRequired } of schemasInPlace(root, schema)) {
    for (const described of [properties, dependentSchemas, dependentRequired].filter(isObject)) {
      for (const name of Object.keys(described)) names.add(name);
    }
    const demanded = [required, isObject(dependentRequired) ? Object.values(dependentRequired) : []];
    for (const name of demanded.flat(2)) if (typeof name === 'string') names.add(name);
  }
  return names;
}

/** The schemas of one member, wherever in the schema of its object they stand. */
export function schemasOfMember(root: JsonSchema, name: string): unknown[] {
  return schemasInPlace(root, root)
    .map(({ properties }) => (isObject(properties) ? properties[name] : undefined))
    .filter((schema) => schema !== undefined);
}

/**
 * References that lead out of a schema or to a name instead of a place, and `$id`s that would change where they lead.
 * Every `$dynamicRef` is one: Ajv takes it for a reference to the root. So is `$recursiveRef`, of an older draft.
 */
export function foreignReferences(root: JsonSchema): string[] {
  const visit = (schema: unknown): string[] => {
    if (!isObject(schema)) return [];
    const foreign = referencesOf(schema).filter((reference) => reference !== '#' && !reference.startsWith('#/'));
    const { $id, $dynamicRef, $recursiveRef } = schema;
    const ids = [schema === root ? undefined : $id, $dynamicRef, $recursiveRef];
    const others = ids.filter((other) => typeof other === 'string');
    return foreign.concat(others, Object.values(schema).flatMap(visit));
  };
  return visit(root);
}

/** A reference that leads to a schema around it; undefined where there is none. */
export function recursiveReference(root: JsonSchema): string | undefined {
  const [around, done] = [new Set<unknown>(), new Set<unknown>()];
  const visit = (schema: unknown): string | undefined => {
    if (!isObject(schema) || done.has(schema)) return undefined;
    around.add(schema);
    for (const reference of referencesOf(schema)) {
      const target = lookUp(root, reference);
      const found = around.has(target) ? reference : visit(target);
      if (found !== undefined) return found;
    }
    for (const part of Object.values(schema)) {
      const found = visit(part);
      if (found !== undefined) return found;
    }
    around.delete(schema);
    done.add(schema);
    return undefined;
  };
  return visit(root);
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

/** How many values a schema without recursion has, with those of its references wherever they are referred to. */
export function sizeOf(root: JsonSchema): number {
  const sizes = new Map<unknown, number>();
  const visit = (part: unknown): number => {
    if (!isObject(part)) return 1;
    let size = sizes.get(part);
    if (size === undefined) {
      const parts = Object.entries(part).map(([name, value]) => {
        // Texts and numbers are found at once, however many there are.
        return name === 'enum' && Array.isArray(value) ? value.filter(isObject) : value;
      });
      const targets = referencesOf(part).map((reference) => lookUp(root, reference));
      size = [...parts, ...targets].reduce<number>((sum, value) => sum + visit(value), 1);
      sizes.set(part, size);
    }
    return size;
  };
  return visit(appliedPart(root));
}

/** A schema without recursion, with what its references lead to in their place. */
export function inlined(root: JsonSchema): unknown {
  const visit = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(visit);
    if (!isObject(schema)) return schema;
    const [reference] = referencesOf(schema);
    const whole = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, visit(value)]));
    if (reference === undefined) return whole;
    const { $ref: _, allOf = [], ...rest } = whole;
    return { ...rest, allOf: [...(allOf as unknown[]), visit(lookUp(root, reference))] };
  };
  return visit(appliedPart(root));
}

/** A schema without what does nothing by itself. */
function appliedPart(root: JsonSchema): JsonSchema {
  const { $defs: _, examples: __, ...applied } = root;
  return applied;
}

/** The segments of a JSON Pointer (RFC 6901 §4), without what is before its first `/`. */
export function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function referencesOf({ $ref }: JsonSchema): string[] {
  return typeof $ref === 'string' ? [$ref] : [];
}

/** @param reference in the URI fragment form of a pointer (RFC 6901 §6) */
function lookUp(root: JsonSchema, reference: string): unknown {
  return segmentsOf(decodeURIComponent(reference)).reduce<unknown>(
    (found, name) => (isObject(found) ? found[name] : undefined),
    root,
  );
}

/** Lists too: their items are looked into as members are. */
function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}
