import {
  bookingExample,
  MAX_PAYLOAD_BYTES,
  MAX_PAYLOAD_DEPTH,
  type OperationContract,
  operations,
  requestHeaders,
} from '@booking-service/contracts';
import type * as z from 'zod';
import { JSON_TYPE } from '../../edge/reply.js';
import { problemResponses } from './describe-problems.js';
import { headerReferences, type Json, queryParameters, schemaReference, type TokenPolicy } from './json-schemas.js';

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
