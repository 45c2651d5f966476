import {
  EVENT_MEDIA_TYPE,
  type Webhook,
  webhookHeaders,
  type WebhookName,
  webhookResponses,
  webhooks,
} from '@booking-service/contracts/events';
import { type Json, schemaReference } from './json-schemas.js';

/** The tag of every webhook. */
export const EVENTS_TAG = 'events (preview)';

/** A webhook as OpenAPI has it, as far as it is read here. */
export interface WebhookObject extends Json {
  requestBody: {
    required: true;
    content: Record<typeof EVENT_MEDIA_TYPE, { schema: { $ref: string }; example: object }>;
  };
  responses: Record<string, { description: string }>;
}

/** The webhooks of the contract as OpenAPI 3.1 has them (§4.8.1): requests that the service sends. */
export function describedWebhooks(): Record<WebhookName, { post: WebhookObject }> {
  const described = Object.entries<Webhook>(webhooks).map(([name, webhook]) => [
    name,
    { post: describe(name, webhook) },
  ]);
  return Object.fromEntries(described) as Record<WebhookName, { post: WebhookObject }>;
}

function describe(operationId: string, { summary, description, schema, example }: Webhook): WebhookObject {
  return {
    operationId,
    summary,
    description,
    tags: [EVENTS_TAG],
    'x-preview': true,
    // No token is sent: the signature says who did.
    security: [],
    parameters: Object.entries(webhookHeaders).map(([name, header]) =>
      Object.assign({ name, in: 'header', required: true } as const, header),
    ),
    requestBody: {
      required: true,
      content: { [EVENT_MEDIA_TYPE]: { schema: schemaReference(schema), example } },
    },
    responses: Object.fromEntries(
      Object.entries(webhookResponses).map(([status, meaning]) => [status, { description: meaning }]),
    ),
  };
}
