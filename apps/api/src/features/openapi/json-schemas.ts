import { type Operation, operations, type ProblemName, problemType, problemTypes } from '@booking-service/contracts';
import * as z from 'zod';

export type Json = Record<string, unknown>;

export const componentUri = (id: string): string => `#/components/schemas/${id}`;

/** A reference to a schema of the contract, which stands once, under the components. */
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

/**
 * Every schema of the contract that has an id, as JSON Schema 2020-12, and one for each problem of an operation.
 *
 * @param further problems of every operation
 */
export function componentSchemas(further: readonly ProblemName[]): Record<string, Json> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { io: 'output', uri: componentUri });
  const ofContract = Object.entries(schemas).map(([id, schema]): [string, Json] => [
    id,
    without({ ...schema }, ['$schema', '$id', ...omitted(id, schema)]),
  ]);
  const ofProblems = Object.values<Operation>(operations).flatMap(({ problems }) =>
    [...problemsByStatus([...problems, ...further]).values()].map((names): [string, Json] => [
      problemSchemaId(names),
      problemSchemaOf(names),
    ]),
  );
  return Object.fromEntries([...ofContract, ...ofProblems]);
}

/** The id of the schema of a response with one of these problems, as in `SlotTakenProblem`. */
export function problemSchemaId(names: readonly ProblemName[]): string {
  return `${names.map((name) => name.split('-').map(capitalized).join('')).join('Or')}Problem`;
}

function capitalized(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}

function problemSchemaOf(names: readonly ProblemName[]): Json {
  const titles = names.map((name) => `\`${name}\`: ${problemTypes[name].title}`);
  const hasSlot = names.every((name) => name === 'slot-taken');
  return {
    description: titles.join('. '),
    allOf: [
      { $ref: componentUri('Problem') },
      {
        type: 'object',
        properties: {
          type: { type: 'string', enum: names.map(problemType) },
          // Generators look for a required member in the schema that requires it.
          ...(hasSlot && { conflicting_slot: { $ref: componentUri('Slot') } }),
        },
        required: ['type', ...(hasSlot ? ['conflicting_slot'] : [])],
      },
    ],
  };
}

/** The problems that share a status, by status: a response has one schema. */
export function problemsByStatus(names: readonly ProblemName[]): Map<number, ProblemName[]> {
  const byStatus = new Map<number, ProblemName[]>();
  for (const name of names) {
    const { status } = problemTypes[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  return byStatus;
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
