import {
  bookingExample,
  type FieldErrorDto,
  type OperationContract,
  problemContract,
  type ProblemDto,
  type ProblemName,
  problemType,
  slotExample,
  validate,
} from '@booking-service/contracts';
import type * as z from 'zod';
import { PROBLEM_TYPE } from '../../edge/reply.js';
import { componentUri, headerReferences, type Json } from './json-schemas.js';

/** The JSON Schemas of every problem response, by id. */
export function problemSchemas(described: readonly OperationContract[]): Record<string, Json> {
  const responses = described.flatMap((operation) => Array.from(problemsOf(operation).values()));
  return Object.fromEntries(responses.map((names) => [problemSchemaId(names), problemSchemaOf(names)]));
}

/** Whether all operations share the response. */
function areCommon(names: readonly ProblemName[]): boolean {
  return names.every((name) => typeof problemContract(name).operations === 'string');
}

/** The problem responses that operations share, by schema id. Their examples are those of the first. */
export function commonResponses([first]: readonly OperationContract[]): Json {
  const common = [...problemsOf(first!).values()].filter(areCommon);
  return Object.fromEntries(common.map((names) => [problemSchemaId(names), problemResponse(names, first!)]));
}

export function problemResponses(operation: OperationContract): Json {
  const responseTo = (names: readonly ProblemName[]): Json => {
    if (!areCommon(names)) return problemResponse(names, operation);
    return { $ref: `#/components/responses/${problemSchemaId(names)}` };
  };
  return Object.fromEntries(
    Array.from(problemsOf(operation), ([status, names]) => [status, responseTo(names)] as const),
  );
}

function problemResponse(names: readonly ProblemName[], operation: OperationContract): Json {
  const description = names.map((name) => `\`${name}\`: ${problemContract(name).title}`).join('. ');
  const headers = headerReferences(names.flatMap((name) => problemContract(name).headers ?? []));
  const examples = Object.fromEntries(names.map((name) => [name, { value: problemExample(name, operation) }]));
  const content = { [PROBLEM_TYPE]: { schema: { $ref: componentUri(problemSchemaId(names)) }, examples } };
  return { description, headers, content };
}

function problemExample(name: ProblemName, { path, query, body }: OperationContract): ProblemDto {
  const { title, status, detail, members = [] } = problemContract(name);
  const instance = path.replace('{booking_id}', bookingExample.booking_id);
  return {
    type: problemType(name),
    title,
    status,
    detail,
    instance,
    ...(name === 'invalid-request' && query && errorsOf(query, { limit: '0' })),
    ...(members.includes('errors') && body && errorsOf(body, { slot: { ...slotExample, end: slotExample.start } })),
    ...(members.includes('conflicting_slot') && { conflicting_slot: slotExample }),
  };
}

function errorsOf(schema: z.ZodType, value: unknown): { errors?: FieldErrorDto[] } {
  const validated = validate(schema, value);
  return 'errors' in validated ? { errors: validated.errors } : {};
}

/** The schema id for a response with one of these problems, such as `SlotTakenProblem`. */
function problemSchemaId(names: readonly ProblemName[]): string {
  return `${names.map((name) => name.split('-').map(capitalized).join('')).join('Or')}Problem`;
}

function capitalized(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}

function problemSchemaOf(names: readonly ProblemName[]): Json {
  const titles = names.map((name) => `\`${name}\`: ${problemContract(name).title}`);
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

/** The problems of an operation by status. */
function problemsOf({ problems }: OperationContract): Map<number, ProblemName[]> {
  const byStatus = new Map<number, ProblemName[]>();
  for (const name of problems) {
    const { status } = problemContract(name);
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  return byStatus;
}
