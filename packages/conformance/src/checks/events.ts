import { type Check, checksOf } from '../check.js';
import { bookingIdOf, type Delivery, one, type Delivered } from '../events-receiver.js';
import { brief } from '../expectations.js';
import { Failure } from '../failure.js';

/** A check of what the endpoint received: the events that are made once in a run are looked at in each. */
const seen = (id: string, title: string, look: (delivered: Delivered) => void): Omit<Check, 'section' | 'level'> => ({
  id: `events.${id}`,
  title,
  writes: true,
  run: async (service) => look(await service.delivered()),
});

/** @throws Failure when an event has a fault, and when there is none to check */
function expectEach(delivered: Delivered, faultOf: (delivery: Delivery) => Failure | undefined): void {
  if (delivered.deliveries.length === 0) throw new Failure('events of the bookings of this run', 'none');
  for (const delivery of delivered.deliveries) {
    const fault = faultOf(delivery);
    if (fault !== undefined) throw fault;
  }
}

/** @param form that a header of every event has */
function expectHeader(delivered: Delivered, name: string, form: RegExp, expected: string): void {
  expectEach(delivered, ({ headers }) => {
    const got = one(headers[name]);
    return form.test(got) ? undefined : new Failure(`${name}: ${expected}`, `${name}: ${got || '(absent)'}`);
  });
}

/** What an event of a booking must have in addition to `data`. */
function membersOf(event: Delivery['event'], text: string): Record<string, unknown> {
  const { booking_id: id, created_at: time } = JSON.parse(text) as Record<string, unknown>;
  return {
    specversion: '1.0',
    id: `created-${String(id)}`,
    type: 'bookings.booking.created',
    subject: id,
    time,
    datacontenttype: 'application/json',
    source: typeof event['source'] === 'string' && event['source'] !== '' ? event['source'] : 'a URI reference',
  };
}

export const events = checksOf('Events', 'events', [
  seen('delivered', 'the endpoint is notified of every booking', ({ ids, deliveries }) => {
    const missing = ids.filter((id) => !deliveries.some((each) => each.isTaken && bookingIdOf(each) === id));
    if (missing.length > 0) throw new Failure(`events of ${ids.length} bookings`, `none of ${missing.join(', ')}`);
  }),
  seen('media-type', 'an event is application/cloudevents+json in UTF-8', (delivered) => {
    const form = /^application\/cloudevents\+json\s*(?:;\s*charset="?utf-8"?)?$/i;
    expectHeader(delivered, 'content-type', form, 'application/cloudevents+json');
  }),
  seen('signature', 'an event is signed for its id, its time and its body', (delivered) => {
    expectEach(delivered, (delivery) => {
      if (delivered.receiver.isSigned(delivery)) return undefined;
      const got = one(delivery.headers['webhook-signature']) || '(absent)';
      return new Failure('a webhook-signature of the secret that was given', `webhook-signature: ${got}`);
    });
  }),
  seen('timestamp', 'webhook-timestamp is the second of the attempt', (delivered) => {
    expectEach(delivered, ({ headers }) => {
      const got = one(headers['webhook-timestamp']);
      const isNow = /^\d+$/.test(got) && Math.abs(Date.now() / 1_000 - Number(got)) < 300;
      return isNow ? undefined : new Failure('webhook-timestamp: about now', `webhook-timestamp: ${got || '(absent)'}`);
    });
  }),
  seen('members', 'an event has the members of CloudEvents 1.0, for the booking and the type', (delivered) => {
    expectEach(delivered, (delivery) => {
      const { event } = delivery;
      const members = Object.entries(membersOf(event, delivered.texts.get(bookingIdOf(delivery)) ?? '{}'));
      const [name, value] = members.find(([name, value]) => event[name] !== value) ?? [];
      if (name === undefined) return undefined;
      return new Failure(`${name}: ${brief(value)}`, `${name}: ${brief(event[name] ?? '(absent)')}`);
    });
  }),
  seen('data', '`data` is the booking, byte for byte as the get returns it', (delivered) => {
    expectEach(delivered, (delivery) => {
      const text = delivered.texts.get(bookingIdOf(delivery)) ?? '';
      const { body, event } = delivery;
      const isSame = body.includes(text) && JSON.stringify(event['data']) === JSON.stringify(JSON.parse(text));
      return isSame ? undefined : new Failure(brief(text), brief(body));
    });
  }),
  seen('again', 'an event that is answered with 503 is sent again, the same', (delivered) => {
    const attempts = delivered.deliveries.filter((each) => bookingIdOf(each) === delivered.rejectedId);
    const [first, again] = attempts;
    if (first === undefined || first.isTaken || again === undefined)
      throw new Failure('two attempts, the first of them answered with 503', `${attempts.length}`);
    if (first.body !== again.body) throw new Failure(brief(first.body), brief(again.body));
  }),
]);
