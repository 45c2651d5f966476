/** The part of JSON Schema that a form needs. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  allOf?: JsonSchema[];
  format?: string;
  properties?: Record<string, JsonSchema | true>;
  required?: string[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/** A member of a payload that the creator fills in. */
export interface Field {
  /** Names from the root of the payload. */
  readonly path: readonly string[];
  readonly label: string;
  readonly kind: 'text' | 'long' | 'number' | 'flag' | 'choice' | 'json';
  readonly choices: readonly unknown[];
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** A deployment without a schema accepts any members: the form offers a name. */
export const OPEN_FIELDS: readonly Field[] = [
  { path: ['guest', 'name'], label: 'Name', kind: 'text', choices: [], required: false, schema: {} },
];

const DEEPEST = 3;

const CREATE = { $ref: '#/components/schemas/CreateBooking' };

/**
 * The fields of a deployment's schema, from its OpenAPI document.
 *
 * @returns undefined if the deployment accepts any members
 */
export function fieldsOf(document: unknown): readonly Field[] | undefined {
  const visit = (schema: JsonSchema, path: readonly string[], required: boolean): Field[] => {
    const { properties } = schema;
    const isRoot = path.length === 0;
    if (properties === undefined || path.length > DEEPEST) return isRoot ? [] : [fieldOf(schema, path, required)];
    return Object.entries(properties).flatMap(([name, member]) =>
      isRoot && name === 'slot'
        ? []
        : visit(
            resolved(document, member),
            [...path, name],
            (isRoot || required) && (schema.required ?? []).includes(name),
          ),
    );
  };
  const fields = visit(resolved(document, CREATE), [], true);
  return fields.length > 0 ? fields : undefined;
}

/** The resources that a deployment's schema allows, if it names them. */
export function resourcesOf(document: unknown): string[] {
  const visit = (schema: JsonSchema | true | undefined): string[] => {
    const { allOf = [], properties } = resolved(document, schema);
    const { enum: names = [], const: name } = resolved(document, properties?.['resource_id']);
    return [...names, name, ...allOf.flatMap(visit)].filter((text) => typeof text === 'string');
  };
  return visit(resolved(document, CREATE).properties?.['slot']);
}

function resolved(document: unknown, schema: JsonSchema | true | undefined): JsonSchema {
  if (typeof schema !== 'object') return {};
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) return schema;
  const found = namesOf(schema.$ref).reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    document,
  );
  const { $ref: _, ...beside } = schema;
  return { ...(found as JsonSchema | undefined), ...beside };
}

/** The names in a JSON Pointer as a URI fragment (RFC 6901 §6). */
export function namesOf(pointer: string): string[] {
  return decodeURIComponent(pointer.slice(2))
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function fieldOf(schema: JsonSchema, path: readonly string[], required: boolean): Field {
  const type = [schema.type ?? (schema.enum ? 'enum' : 'any')].flat().find((name) => name !== 'null');
  const kinds: Record<string, Field['kind']> = { string: 'text', integer: 'number', number: 'number', boolean: 'flag' };
  const isLong = (schema.maxLength ?? 0) > 200 && schema.format === undefined;
  // A checkbox cannot be left out.
  const choices = schema.enum ?? (type === 'boolean' && !required ? [true, false] : undefined);
  const kind = choices ? 'choice' : ((isLong && type === 'string' ? 'long' : kinds[type ?? '']) ?? 'json');
  const label = schema.title ?? path.map((name) => name.replaceAll('_', ' ')).join(' · ');
  return { path, label, kind, choices: choices ?? [], required, schema };
}
