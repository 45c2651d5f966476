import * as z from 'zod';

/** A JSON object, with whatever members it has. */
export type Json = Record<string, unknown>;

export const componentUri = (id: string): string => `#/components/schemas/${id}`;

/** A reference to a schema of the contract that has an id: it stands once, under the components. */
export function schemaReference(schema: z.ZodType): { $ref: string } {
  const { id } = z.globalRegistry.get(schema) ?? {};
  if (id === undefined) throw new Error('A schema of the OpenAPI document has no id.');
  return { $ref: componentUri(id) };
}

/** The parameters of a query, by name, each with its description and its JSON Schema. */
export function queryParameters(query: z.ZodObject): { name: string; description: string; schema: Json }[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'output' });
  return Object.entries(properties as Record<string, Json>).map(([name, { description, ...schema }]) => ({
    name,
    description: String(description),
    schema,
  }));
}

/** Every schema of the contract that has an id, as JSON Schema 2020-12. */
export function componentSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { io: 'output', uri: componentUri });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      without({ ...schema }, ['$schema', '$id', ...omitted(id, schema)]),
    ]),
  );
}

/**
 * Bookings take further members of their creator, and the document says so. Elsewhere the service may add
 * members: a schema without `additionalProperties` allows that too, and tools then report unknown members.
 */
function omitted(id: string, { additionalProperties }: { additionalProperties?: unknown }): string[] {
  return id === 'Booking' || id === 'CreateBooking' || additionalProperties === false ? [] : ['additionalProperties'];
}

export function without(schema: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}
