import {
  authenticationProblems,
  type OperationContract,
  operations,
  problemContract,
  type ProblemName,
  problemType,
  problemTypes,
} from '@booking-service/contracts';
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

/** The JSON Schemas (2020-12), by id, of every contract schema that has an id, and of every problem response. */
export function componentSchemas(tokens: TokenPolicy): Record<string, Json> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { io: 'output', uri: componentUri });
  const ofContract = Object.entries(schemas).map(([id, schema]): [string, Json] => [
    id,
    without({ ...schema }, ['$schema', '$id', ...omitted(id, schema)]),
  ]);
  const ofProblems = Object.values<OperationContract>(operations).flatMap((operation) =>
    [...problemsOf(operation, tokens).values()].map((names): [string, Json] => [
      problemSchemaId(names),
      problemSchemaOf(names),
    ]),
  );
  return Object.fromEntries([...ofContract, ...ofProblems]);
}

/** The schema id for a response with one of these problems, such as `SlotTakenProblem`. */
export function problemSchemaId(names: readonly ProblemName[]): string {
  return `${names.map((name) => name.split('-').map(capitalized).join('')).join('Or')}Problem`;
}

function capitalized(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}

function problemSchemaOf(names: readonly ProblemName[]): Json {
  const titles = names.map((name) => `\`${name}\`: ${problemTypes[name].title}`);
  const hasSlot = names.every((name) => problemContract(name).members?.includes('conflicting_slot'));
  return {
    description: titles.join('. '),
    allOf: [
      { $ref: componentUri('Problem') },
      {
        type: 'object',
        properties: {
          type: { type: 'string', enum: names.map(problemType) },
          // Code generators expect each required member among the `properties` of the same schema.
          ...(hasSlot && { conflicting_slot: { $ref: componentUri('Slot') } }),
        },
        required: ['type', ...(hasSlot ? ['conflicting_slot'] : [])],
      },
    ],
  };
}

/** The problems of an operation by status, including those of tokens unless the policy is `none`. */
export function problemsOf({ problems }: OperationContract, tokens: TokenPolicy): Map<number, ProblemName[]> {
  const byStatus = new Map<number, ProblemName[]>();
  for (const name of tokens === 'none' ? problems : [...problems, ...authenticationProblems]) {
    const { status } = problemTypes[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  return byStatus;
}

/**
 * Only the schemas of bookings say that they allow any further members. Other schemas say nothing about them, so that
 * tools still report unknown members; a `false`, which forbids them, is kept.
 */
function omitted(id: string, { additionalProperties }: { additionalProperties?: unknown }): string[] {
  return id === 'Booking' || id === 'CreateBooking' || additionalProperties === false ? [] : ['additionalProperties'];
}

export function without(schema: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}
