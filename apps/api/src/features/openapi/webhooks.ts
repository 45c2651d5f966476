import {
  EVENT_MEDIA_TYPE,
  type Webhook,
  webhookHeaders,
  webhookResponses,
  webhooks,
} from '@booking-service/contracts/events';
import { type Json, schemaReference } from './json-schemas.js';

export const EVENTS_TAG = 'events (preview)';

/** The contract's webhooks in OpenAPI 3.1 (§4.8.1). */
export function describeWebhooks(): Record<string, { post: Json }> {
  const described = Object.entries<Webhook>(webhooks).map(([name, { summary, description, schema, example }]) => {
    const post = {
      operationId: name,
      summary,
      description,
      tags: [EVENTS_TAG],
      'x-preview': true,
      security: [],
      parameters: Object.entries(webhookHeaders).map(([header, described]) =>
        Object.assign({ name: header, in: 'header', required: true } as const, described),
      ),
      requestBody: { required: true, content: { [EVENT_MEDIA_TYPE]: { schema: schemaReference(schema), example } } },
      responses: Object.fromEntries(
        Object.entries(webhookResponses).map(([status, meaning]) => [status, { description: meaning }]),
      ),
    };
    return [name, { post }];
  });
  return Object.fromEntries(described) as Record<string, { post: Json }>;
}
