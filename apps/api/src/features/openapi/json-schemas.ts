import { commonResponseHeaders } from '@booking-service/contracts';
import * as z from 'zod';

export type Json = Record<string, unknown>;

/** Whether the document requires tokens; `optional` is for consumers who do not know their deployment yet. */
export type TokenPolicy = 'none' | 'optional' | 'required';

export const componentUri = (id: string): string => `#/components/schemas/${id}`;

export function schemaReference(schema: z.ZodType): { $ref: string } {
  const { id } = z.globalRegistry.get(schema) ?? {};
  if (id === undefined) throw new Error('A schema of the OpenAPI document has no id.');
  return { $ref: componentUri(id) };
}

export function queryParameters(query: z.ZodObject): Json[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'output' });
  return Object.entries(properties as Record<string, Json>).map(([name, { description, ...schema }]) => ({
    name,
    required: false,
    in: 'query',
    description,
    schema,
  }));
}

/** References to the headers of every response, and to those that one has besides. */
export function headerReferences(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    [...commonResponseHeaders, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** The JSON Schemas (2020-12), by id, of every contract schema that has an id. */
export function contractSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { io: 'output', uri: componentUri });
  const described = Object.entries(schemas).map(([id, schema]): [string, Json] => [
    id,
    without({ ...schema }, ['$schema', '$id', ...omitted(schema)]),
  ]);
  return Object.fromEntries(described);
}

/**
 * A schema says that it allows further members if the contract says so, or forbids them. Others say nothing about them
 * (Zod's `{}`), so that tools still report unknown members.
 */
function omitted({ additionalProperties }: Json): string[] {
  return typeof additionalProperties === 'boolean' ? [] : ['additionalProperties'];
}

export function without(schema: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}
