import {
  authenticationProblems,
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

/** An operation as a deployment has it. */
export interface DescribedOperation extends OperationContract {
  readonly id: string;
  /** Undefined if no token is needed. */
  readonly security: readonly object[] | undefined;
}

/** The operations of a deployment, with the problems of tokens unless it needs none. */
export function describedOperations(tokens: TokenPolicy): DescribedOperation[] {
  return Object.entries<OperationContract>(operations).map(([id, operation]) => {
    if (tokens === 'none') return Object.assign({ id, security: undefined }, operation);
    const scope = { [BEARER]: [operation.scope] };
    const security = tokens === 'optional' ? [{}, scope] : [scope];
    return Object.assign({ id, security }, operation, {
      problems: [...operation.problems, ...authenticationProblems],
    });
  });
}

/** The OpenAPI 3.1 path items of operations, by path. @param payloads examples of a create, by name */
export function describePaths(described: readonly DescribedOperation[], payloads: Json): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const operation of described) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = describeOperation(operation, payloads);
  }
  return paths;
}

function describeOperation(operation: DescribedOperation, payloads: Json): Json {
  const { id, summary, description, body, security } = operation;
  return {
    description,
    operationId: id,
    parameters: parameters(operation),
    ...(body && { requestBody: requestBody(body, payloads) }),
    responses: { ...successes(operation), ...problemResponses(operation) },
    ...(security && { security }),
    summary,
    tags: [TAG],
    'x-preview': true,
  };
}

function parameters({ params = {}, query, headers }: OperationContract): Json[] {
  return [
    ...Object.entries(params).map(([name, param]) => Object.assign({ name, required: true, in: 'path' }, param)),
    ...(query ? queryParameters(query) : []),
    ...headers.map((name) => {
      const { description, schema } = requestHeaders[name];
      return { name, in: 'header', description, required: false, schema };
    }),
  ];
}

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
