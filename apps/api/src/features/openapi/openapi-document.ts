import { type CreateBookingDto, payloadExamples, responseHeaders } from '@booking-service/contracts';
import { type BookingSchema, type JsonSchema, openBookingSchema } from '../../bookings/booking-schema.js';
import { describeWebhooks, eventParameters, EVENTS_TAG } from './describe-events.js';
import { BEARER, describedOperations, describePaths, TAG } from './describe-operation.js';
import { commonResponses, problemSchemas } from './describe-problems.js';
import { componentUri, contractSchemas, type Json, type TokenPolicy, without } from './json-schemas.js';
import { PREVIEW_VERSION } from './preview-version.js';

interface OpenApiDocument extends Json {
  readonly paths: Record<string, Json>;
  readonly components: Json & { readonly schemas: Record<string, Json>; readonly securitySchemes?: Json };
}

const DESCRIPTION =
  'A booking may hold a slot, one resource for one window of time, and carries any members of your own. ' +
  '**Two bookings never hold overlapping slots of one resource.** ' +
  'Three operations, labelled preview, list, create and get bookings.\n\n' +
  'Every path also takes HEAD, as GET without the content (RFC 9110 §9.3.2), and OPTIONS, with 204 and `Allow`. ' +
  'Any other method is 405 `method-not-allowed` with `Allow`, and any other path 404 `route-not-found`.';

/** The OpenAPI 3.1 document of a deployment, made from the contract and the schema of the deployment. */
export function openApiDocument(tokens: TokenPolicy, schema: BookingSchema = openBookingSchema): OpenApiDocument {
  const payloads = schema.examples.length === 0 ? payloadExamples : named(schema.examples);
  const described = describedOperations(tokens);
  return {
    openapi: '3.1.1',
    paths: describePaths(described, payloads),
    info: {
      title: 'Booking Service Interface (Preview)',
      version: PREVIEW_VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: [
      { name: TAG, description: 'List bookings, create a booking, get a booking' },
      { name: EVENTS_TAG, description: 'What the service sends to the endpoints that its operator configures' },
    ],
    components: {
      schemas: withTheirs({ ...contractSchemas(), ...problemSchemas(described) }, schema),
      responses: commonResponses(described),
      parameters: eventParameters,
      headers: responseHeaders,
      ...(tokens !== 'none' && { securitySchemes }),
    },
    webhooks: describeWebhooks(),
  };
}

const securitySchemes = {
  [BEARER]: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of the service, or an access token (JWT) of its OpenID Connect issuer (RFC 6750)',
  },
};

function withTheirs(schemas: Record<string, Json>, schema: BookingSchema): Record<string, Json> {
  const theirs = schema.schemaAt(componentUri('CreateBooking'));
  if (theirs === undefined) return schemas;
  return { ...schemas, CreateBooking: merged(schemas['CreateBooking']!, theirs) };
}

/** Merges a deployment's schema into the contract's `CreateBooking`; `Booking` stays open, for older bookings. */
function merged(ours: Json, theirs: JsonSchema): Json {
  const { properties, ...rest } = without(theirs, ['$schema', '$id', 'examples']) as Json & { properties: Json };
  const both = Object.entries(ours['properties'] as Json).map(([name, own]) => [name, bothOf(own, properties[name])]);
  return {
    ...without(ours, ['additionalProperties']),
    // The contract's own description calls the slot optional.
    description: 'A booking to create, as this service requires it',
    ...rest,
    properties: { ...properties, ...Object.fromEntries(both) },
  };
}

/** @param narrower keeps its place, since references of the deployment's schema may lead into it */
function bothOf(own: unknown, narrower: unknown): unknown {
  if (narrower === undefined || narrower === true) return own;
  if (narrower === false) return { allOf: [own, false] };
  const { allOf = [], ...theirs } = narrower as { allOf?: unknown[] };
  return { ...theirs, allOf: [...allOf, own] };
}

function named(payloads: readonly CreateBookingDto[]): Json {
  const entries = payloads.map((value, index) => [`example-${index + 1}`, { summary: `Example ${index + 1}`, value }]);
  return Object.fromEntries(entries) as Json;
}
