import {
  EVENT_MEDIA_TYPE,
  type Webhook,
  webhookHeaders,
  webhookResponses,
  webhooks,
} from '@booking-service/contracts/events';
import { type Json, schemaReference } from './json-schemas.js';

export const EVENTS_TAG = 'events (preview)';

/** The headers of every event, as OpenAPI parameters by header name. */
export const eventParameters = Object.fromEntries(
  Object.entries(webhookHeaders).map(([name, described]) => [
    name,
    { name, in: 'header', required: true, ...described },
  ]),
);

/** The contract's webhooks in OpenAPI 3.1 (§4.8.1), by name. */
export function describeWebhooks(): Record<string, { post: Json }> {
  const described = Object.entries<Webhook>(webhooks).map(([name, { summary, description, schema, example }]) => {
    const post = {
      operationId: name,
      summary,
      description,
      tags: [EVENTS_TAG],
      'x-preview': true,
      security: [],
      parameters: Object.keys(webhookHeaders).map((header) => ({ $ref: `#/components/parameters/${header}` })),
      requestBody: { required: true, content: { [EVENT_MEDIA_TYPE]: { schema: schemaReference(schema), example } } },
      responses: Object.fromEntries(
        Object.entries(webhookResponses).map(([status, meaning]) => [status, { description: meaning }]),
      ),
    };
    return [name, { post }];
  });
  return Object.fromEntries(described) as Record<string, { post: Json }>;
}
