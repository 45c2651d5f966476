import {
  bookingExample,
  commonResponseHeaders,
  type FieldErrorDto,
  MAX_PAYLOAD_BYTES,
  MAX_PAYLOAD_DEPTH,
  type OperationContract,
  operations,
  type ProblemDto,
  type ProblemName,
  problemContract,
  problemType,
  requestHeaders,
  slotExample,
  validate,
} from '@booking-service/contracts';
import type * as z from 'zod';
import { JSON_TYPE, PROBLEM_TYPE } from '../../edge/reply.js';
import {
  componentUri,
  type Json,
  problemSchemaId,
  problemsOf,
  queryParameters,
  schemaReference,
  type TokenPolicy,
} from './json-schemas.js';

export const TAG = 'bookings (preview)';

export const BEARER = 'bearer';

/** The OpenAPI 3.1 path items of all operations, by path. @param payloads examples of a create, by name */
export function describePaths(tokens: TokenPolicy, payloads: Json): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const [id, operation] of Object.entries<OperationContract>(operations)) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = describeOperation(id, operation, tokens, payloads);
  }
  return paths;
}

function describeOperation(
  operationId: string,
  operation: OperationContract,
  tokens: TokenPolicy,
  payloads: Json,
): Json {
  const { summary, description, scope, body } = operation;
  return {
    description,
    operationId,
    parameters: parameters(operation),
    ...(body && { requestBody: requestBody(body, payloads) }),
    responses: { ...successes(operation), ...problemResponses(operation, tokens) },
    ...(tokens !== 'none' && { security: [...(tokens === 'optional' ? [{}] : []), { [BEARER]: [scope] }] }),
    summary,
    tags: [TAG],
    'x-preview': true,
  };
}

function parameters({ path, query, headers }: OperationContract): Json[] {
  return [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({ name, required: true, in: 'path', ...BOOKING_ID })),
    ...(query ? queryParameters(query) : []),
    ...headers.map((name) => {
      const { description, schema } = requestHeaders[name];
      return { name, in: 'header', description, required: false, schema };
    }),
  ];
}

const BOOKING_ID = {
  description: 'Id of a booking, exactly as the service returned it',
  schema: { type: 'string', minLength: 1, examples: [bookingExample.booking_id] },
};

function requestBody(body: z.ZodType, payloads: Json): Json {
  const bytes = MAX_PAYLOAD_BYTES.toLocaleString('en');
  return {
    required: false,
    description: `A missing body is the empty object. At most ${bytes} bytes and ${MAX_PAYLOAD_DEPTH} levels.`,
    content: { [JSON_TYPE]: { schema: schemaReference(body), examples: payloads } },
  };
}

function successes({ success, notModified }: OperationContract): Json {
  const { status, description, headers, schema, example, links } = success;
  const content = { [JSON_TYPE]: { schema: schemaReference(schema), example } };
  return {
    [status]: { description, headers: headerReferences(headers), content, ...(links && { links }) },
    ...(notModified && {
      [notModified.status]: {
        description: notModified.description,
        headers: headerReferences(notModified.headers),
      },
    }),
  };
}

/** Whether all operations share the response. */
function areCommon(names: readonly ProblemName[]): boolean {
  return names.every((name) => typeof problemContract(name).operations === 'string');
}

/** The problem responses that operations share, by schema id. Their examples are those of `listBookings`. */
export function commonResponses(tokens: TokenPolicy): Json {
  const { listBookings } = operations;
  const common = [...problemsOf(listBookings, tokens).values()].filter(areCommon);
  return Object.fromEntries(common.map((names) => [problemSchemaId(names), problemResponse(names, listBookings)]));
}

function problemResponses(operation: OperationContract, tokens: TokenPolicy): Json {
  const responseTo = (names: readonly ProblemName[]): Json => {
    if (!areCommon(names)) return problemResponse(names, operation);
    return { $ref: `#/components/responses/${problemSchemaId(names)}` };
  };
  return Object.fromEntries(
    Array.from(problemsOf(operation, tokens), ([status, names]) => [status, responseTo(names)] as const),
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

function headerReferences(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    [...commonResponseHeaders, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
