import { eventTypes, type Webhook, webhookHeaders, webhooks } from '../src/events.js';
import { validate } from '../src/index.js';

describe('the webhooks', () => {
  it.each(Object.entries<Webhook>(webhooks))(
    'are labelled as a preview, and have an example that keeps to its schema: %s',
    (name, { summary, schema, example }) => {
      expect(summary).toMatch(/\(preview\)$/);
      expect(validate(schema, example)).toEqual({ value: example });
      expect(example).toHaveProperty('type', eventTypes[name as keyof typeof eventTypes]);
    },
  );

  it('have the headers of Standard Webhooks, whose examples keep to their patterns', () => {
    expect(Object.keys(webhookHeaders)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    for (const { schema, example } of Object.values(webhookHeaders))
      expect(example).toMatch(new RegExp(schema.pattern));
  });
});
