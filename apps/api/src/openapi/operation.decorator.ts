import {
  authenticationProblems,
  bookingExample,
  commonResponseHeaders,
  type FaultDto,
  type Operation as ContractOperation,
  type OperationId,
  operations,
  payloadExamples,
  problemDetails,
  type ProblemDto,
  problemHeaders,
  type ProblemName,
  problemType,
  problemTypes,
  requestHeaders,
  slotExample,
  validate,
} from '@booking-service/contracts';
import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtension,
  ApiHeader,
  ApiIncludeEndpoint,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import { JSON_TYPE, PROBLEM_TYPE } from '../http/reply.js';
import type * as z from 'zod';
import { componentUri, problemsByStatus, problemSchemaId, queryParameters, schemaReference } from './json-schemas.js';

/** The tag of every operation. */
export const TAG = 'bookings (preview)';

/** The name of the security scheme. */
export const BEARER = 'bearer';

/** Describes a handler as an operation of the contract, in the OpenAPI document. It sets no route. */
export function Operation(id: OperationId): MethodDecorator {
  const operation: ContractOperation = operations[id];
  const { summary, description, scope, problems } = operation;
  return applyDecorators(
    ApiIncludeEndpoint(),
    ApiOperation({ operationId: id, summary, description }),
    ApiTags(TAG),
    ApiExtension('x-preview', true),
    ApiSecurity(BEARER, [scope]),
    ...parameters(operation),
    ...successes(operation),
    ...problemResponses(operation, [...problems, ...authenticationProblems]),
  );
}

function parameters({ path, query, headers, body }: ContractOperation): MethodDecorator[] {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return [
    ...named.map((name) => ApiParam({ name, ...BOOKING_ID })),
    ...(query === undefined ? [] : queryParameters(query)).map((each) => ApiQuery({ required: false, ...each })),
    ...headers.map((name) => ApiHeader({ name, required: false, ...requestHeaders[name] })),
    ...(body === undefined ? [] : [ApiBody({ ...BODY, schema: schemaReference(body), examples: payloadExamples })]),
  ];
}

const BOOKING_ID = {
  description: 'Id of a booking, exactly as the service returned it',
  schema: { type: 'string', minLength: 1, examples: [bookingExample.booking_id] },
} as const;

const BODY = {
  required: false,
  description: 'A missing body is the empty object. At most 65,536 bytes and 32 levels.',
};

function successes({ success, notModified }: ContractOperation): MethodDecorator[] {
  const { status, description, headers, schema, example, links } = success;
  const content = { [JSON_TYPE]: { schema: schemaReference(schema), example } };
  return [
    ApiResponse({ status, description, headers: headerReferences(headers), content, ...(links && { links }) }),
    ...(notModified === undefined
      ? []
      : [ApiResponse({ ...notModified, headers: headerReferences(notModified.headers) })]),
  ];
}

/** One response for each status, with the problems that share it. */
function problemResponses(operation: ContractOperation, all: readonly ProblemName[]): MethodDecorator[] {
  return [...problemsByStatus(all)].map(([status, names]) => {
    return ApiResponse({
      status,
      description: names.map((name) => `\`${name}\`: ${problemTypes[name].title}`).join('. '),
      headers: headerReferences(names.flatMap((name) => problemHeaders[name] ?? [])),
      content: {
        [PROBLEM_TYPE]: {
          schema: { $ref: componentUri(problemSchemaId(names)) },
          examples: Object.fromEntries(names.map((name) => [name, { value: problemExample(name, operation) }])),
        },
      },
    });
  });
}

/** A problem as the service would respond with it, with the faults of a request that has some. */
function problemExample(name: ProblemName, { path, query, body }: ContractOperation): ProblemDto {
  const { status, title } = problemTypes[name];
  return {
    type: problemType(name),
    title,
    status,
    detail: problemDetails[name],
    instance: path,
    ...(name === 'invalid-request' && query && faultsOf(query, { limit: '0' })),
    ...(name === 'invalid-booking' && body && faultsOf(body, { slot: { ...slotExample, end: slotExample.start } })),
    ...(name === 'slot-taken' && { conflicting_slot: slotExample }),
  };
}

function faultsOf(schema: z.ZodType, value: unknown): { errors?: FaultDto[] } {
  const validated = validate(schema, value);
  return 'faults' in validated ? { errors: validated.faults } : {};
}

function headerReferences(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    [...commonResponseHeaders, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
