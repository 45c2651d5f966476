import {
  type Operation,
  type OperationId,
  operations,
  problemType,
  problemTypes,
  type ProblemName,
} from '@booking-service/contracts';
import { z } from 'zod';
import { JSON_TYPE, PROBLEM_TYPE } from '../http/answer.js';
import { type BookingSchema, openBookingSchema } from '../booking-schema/booking-schema.js';
import { type JsonSchema, movedTo } from '../booking-schema/json-schema.js';
import { bookingExample, type BookingExamples, examplesOf, problemExamples } from './examples.js';
import { everywhere, headers, idempotencyKeyParameter, ifNoneMatchParameter, successHeaders } from './headers.js';
import { problemsOf, securityOf, securitySchemes, type Tokens } from './token-security.js';

type Json = Record<string, unknown>;

/** As much of an OpenAPI 3.1 document as this service and its tests read. */
export interface OpenApiDocument extends Json {
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Json; headers: Json; securitySchemes?: Json };
}

const componentUri = (id: string): string => `#/components/schemas/${id}`;

function successExample(id: OperationId, { booking, page }: BookingExamples): unknown {
  return id === 'listBookings' ? page : booking;
}

const operationParameters: Record<OperationId, Json[]> = {
  listBookings: [],
  createBooking: [idempotencyKeyParameter],
  getBooking: [ifNoneMatchParameter],
};

/**
 * The OpenAPI 3.1 document of the service, from the operations and schemas of the contract.
 *
 * @param version the label of the preview
 * @param tokens what it says of tokens
 * @param schema what a deployment asks of create payloads
 */
export function openApiDocument(
  version: string,
  tokens: Tokens,
  schema: BookingSchema = openBookingSchema,
): OpenApiDocument {
  const examples = examplesOf(schema);
  const paths: OpenApiDocument['paths'] = {};
  for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describeOperation(id, operation, tokens, examples);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Booking Service Interface (Preview)',
      version,
      description:
        'Three operations on bookings, labelled preview. The one promise: two bookings never hold overlapping slots of one resource.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: [{ name: 'bookings (preview)', description: 'List bookings, create a booking, get one' }],
    paths,
    components: { schemas: componentSchemas(schema), headers, ...(tokens !== 'none' && { securitySchemes }) },
  };
}

function describeOperation(id: OperationId, operation: Operation, tokens: Tokens, examples: BookingExamples): Json {
  return {
    operationId: id,
    summary: operation.summary,
    description: operation.description,
    tags: ['bookings (preview)'],
    'x-preview': true,
    ...(tokens !== 'none' && { security: securityOf(operation, tokens) }),
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...operationParameters[id]],
    ...(operation.body && { requestBody: requestBody(operation.body, examples) }),
    responses: {
      ...successResponses(id, operation, examples),
      ...problemResponses(operation.path, problemsOf(operation, tokens)),
    },
  };
}

function pathParameters({ path }: Operation): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'The id of a booking, exactly as the service gave it',
    schema: { type: 'string', minLength: 1 },
    example: bookingExample.booking_id,
  }));
}

function queryParameters({ query }: Operation): Json[] {
  if (query === undefined) return [];
  const { properties } = jsonSchema(query) as { properties: Record<string, Json> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema,
  }));
}

function requestBody(schema: z.ZodType, { payloads }: BookingExamples): Json {
  return {
    required: false,
    description: 'A missing body is the empty object. At most 65,536 bytes and 32 levels.',
    content: { [JSON_TYPE]: { schema: jsonSchema(schema), examples: payloads } },
  };
}

function successResponses(id: OperationId, { success }: Operation, examples: BookingExamples): Json {
  const responses: Json = {
    [success.status]: {
      description: successHeaders[id].description,
      headers: headerReferences(successHeaders[id].names),
      content: { [JSON_TYPE]: { schema: jsonSchema(success.schema), example: successExample(id, examples) } },
    },
  };
  if (id === 'getBooking') {
    responses[304] = {
      description: 'The booking is what `If-None-Match` names: a booking never changes',
      headers: headerReferences(['ETag']),
    };
  }
  return responses;
}

function problemResponses(path: string, problems: readonly ProblemName[]): Json {
  const byStatus = groupByStatus(problems);
  return Object.fromEntries([...byStatus].map(([status, names]) => [status, problemResponse(path, names)]));
}

function groupByStatus(names: readonly ProblemName[]): Map<number, ProblemName[]> {
  const groups = new Map<number, ProblemName[]>();
  for (const name of names) {
    const { status } = problemTypes[name];
    groups.set(status, [...(groups.get(status) ?? []), name]);
  }
  return groups;
}

function problemResponse(path: string, names: ProblemName[]): Json {
  const examples = names.map((name) => [name, { value: problemExamples[name].toDto(path) }]);
  const headerNames = names.flatMap((name) => Object.keys(problemExamples[name].extras.headers ?? {}));
  return {
    description: names.map((name) => `\`${name}\`: ${problemTypes[name].title}`).join('. '),
    headers: headerReferences(headerNames),
    content: {
      [PROBLEM_TYPE]: {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object', properties: { type: { enum: names.map(problemType) } } },
          ],
        },
        examples: Object.fromEntries(examples) as Json,
      },
    },
  };
}

function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries([...everywhere, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A schema that has an id stands once, under components, and is referred to. */
function jsonSchema(schema: z.ZodType): Json {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'output' })).replaceAll('"#/$defs/', `"${componentUri('')}`);
  return without(JSON.parse(text) as Json, ['$schema', '$defs']);
}

function componentSchemas({ json }: BookingSchema): Json {
  const described = ownSchemas();
  return json === undefined
    ? described
    : { ...described, CreateBooking: merged(described['CreateBooking'] as Json, json) };
}

/** What the interface says of a payload, and what the deployment says. Bookings stay open: some may be older than its schema. */
function merged(ours: Json, schema: JsonSchema): Json {
  const theirs = without(schema, ['$schema', '$id', 'examples']);
  const { properties, ...rest } = movedTo(componentUri('CreateBooking'), theirs) as Json & { properties: Json };
  const { slot, ...members } = ours['properties'] as Json;
  return {
    ...without(ours, ['additionalProperties']),
    ...rest,
    properties: {
      ...properties,
      ...members,
      slot: properties['slot'] === true ? slot : { allOf: [slot, properties['slot']] },
    },
  };
}

function ownSchemas(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { io: 'output', uri: componentUri });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      without({ ...schema }, ['$schema', '$id', ...unsaid(id, schema)]),
    ]),
  );
}

/**
 * Further members are the creators' in a booking, and the document says so. Elsewhere the service may add
 * some: to say nothing allows that too, and tools then take a member that is not listed for a mistake.
 */
function unsaid(id: string, { additionalProperties }: { additionalProperties?: unknown }): string[] {
  return id === 'Booking' || id === 'CreateBooking' || additionalProperties === false ? [] : ['additionalProperties'];
}

function without(schema: Json, names: string[]): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}
