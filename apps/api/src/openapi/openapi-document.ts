import {
  authenticationProblems,
  type BookingDto,
  type CreateBookingDto,
  formatInstant,
  pageExample,
  parseInstant,
  responseHeaders,
} from '@booking-service/contracts';
import { EVENT_MEDIA_TYPE, type WebhookName } from '@booking-service/contracts/events';
import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { JSON_TYPE } from '../http/reply.js';
import { type BookingSchema, openBookingSchema } from '../booking-schema/booking-schema.js';
import { type JsonSchema, movedTo } from '../booking-schema/json-schema.js';
import { componentSchemas, componentUri, type Json, without } from './json-schemas.js';
import { BEARER, describeOperation, type OperationObject, TAG, type Tokens } from './describe-operation.js';
import { PREVIEW_VERSION } from './preview-version.js';
import { describedWebhooks, EVENTS_TAG, type WebhookObject } from './webhooks.js';

/** As much of an OpenAPI 3.1 document as this service and its tests read. */
export interface OpenApiDocument extends OpenAPIObject {
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<WebhookName, { post: WebhookObject }>;
  components: NonNullable<OpenAPIObject['components']> & { schemas: Record<string, Json> };
}

/**
 * The OpenAPI 3.1 document of an application: the routes that `@nestjs/swagger` finds in its controllers, each
 * described by its operation of the contract, with what is particular to a deployment.
 *
 * @param schema the deployment's schema of create payloads; every member is free where it is not given
 */
export function openApiDocument(
  app: INestApplication,
  tokens: Tokens,
  schema: BookingSchema = openBookingSchema,
): OpenApiDocument {
  const base = {
    openapi: '3.1.1',
    info: {
      title: 'Booking Service Interface (Preview)',
      version: PREVIEW_VERSION,
      description:
        'Three operations on bookings, labelled preview. One promise: two bookings never hold overlapping slots of one resource.\n\nEvery path also takes HEAD, as GET without the content (RFC 9110 §9.3.2), and OPTIONS, with 204 and `Allow`. They are not listed as operations, since they have no schemas of their own. Any other method is 405 `method-not-allowed` with `Allow`, and any other path 404 `route-not-found`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: [
      { name: TAG, description: 'List bookings, create a booking, get a booking' },
      { name: EVENTS_TAG, description: 'What the service sends to the endpoints that its operator configures' },
    ],
    components: {
      schemas: componentSchemas(tokens === 'none' ? [] : authenticationProblems),
      headers: responseHeaders,
      ...(tokens !== 'none' && { securitySchemes }),
    },
  };
  const routes = SwaggerModule.createDocument(app, base as unknown as Omit<OpenAPIObject, 'paths'>, {
    autoTagControllers: false,
    onlyIncludeDecoratedEndpoints: true,
  });
  const document = { ...routes, webhooks: describedWebhooks() } as OpenApiDocument;
  for (const methods of Object.values(document.paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      methods[method] = describeOperation(operationId, tokens);
    }
  }
  if (schema.json !== undefined) describePayload(document, schema.json);
  if (schema.examples.length > 0) showExamples(document, schema.examples);
  return document;
}

const securitySchemes = {
  [BEARER]: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of the service, or an access token (JWT) of its OpenID Connect issuer (RFC 6750)',
  },
};

/**
 * Merges a deployment's schema into that of the contract. Bookings stay open: some may be older than the
 * schema.
 */
function describePayload({ components }: OpenApiDocument, schema: JsonSchema): void {
  const schemas: Record<string, Json> = components.schemas;
  const ours = schemas['CreateBooking']!;
  const theirs = without(schema, ['$schema', '$id', 'examples']);
  const { properties, ...rest } = movedTo(componentUri('CreateBooking'), theirs) as Json & { properties: Json };
  const both = Object.entries(ours['properties'] as Json).map(([name, schema]) => {
    const narrower = properties[name];
    return [name, narrower === undefined || narrower === true ? schema : { allOf: [schema, narrower] }];
  });
  schemas['CreateBooking'] = {
    ...without(ours, ['additionalProperties']),
    // That of the contract calls the slot optional and takes any member.
    description: 'A booking to create, as this service requires it',
    ...rest,
    properties: { ...properties, ...Object.fromEntries(both) },
  };
}

/** Shows a deployment's payloads instead of those of the contract, and the bookings made of them. */
function showExamples({ paths, webhooks }: OpenApiDocument, payloads: readonly CreateBookingDto[]): void {
  const named = payloads.map((value, index) => [`example-${index + 1}`, { summary: `Example ${index + 1}`, value }]);
  const bookings = pageExample.bookings.map((set, index) => bookingOf(set, payloads[index] ?? payloads[0]!));
  for (const { requestBody, responses } of operationsOf(paths)) {
    if (requestBody !== undefined) requestBody.content[JSON_TYPE]!.examples = Object.fromEntries(named) as Json;
    for (const { content } of Object.values(responses)) {
      const media = content?.[JSON_TYPE];
      if (media === undefined) continue;
      media.example = 'bookings' in media.example! ? { ...pageExample, bookings } : bookings[0]!;
    }
  }
  const event = webhooks.bookingCreated.post.requestBody.content[EVENT_MEDIA_TYPE];
  event.example = { ...event.example, data: bookings[0] };
}

/** A payload as the service returns it: with its own members, and the slot in UTC. */
function bookingOf({ booking_id, created_at }: BookingDto, { slot, ...details }: CreateBookingDto): BookingDto {
  const inUtc = (instant: string) => formatInstant(parseInstant(instant)!);
  return {
    booking_id,
    created_at,
    ...(slot && { slot: { ...slot, start: inUtc(slot.start), end: inUtc(slot.end) } }),
    ...details,
  };
}

function operationsOf(paths: OpenApiDocument['paths']): OperationObject[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}
