import { check, checksOf, type Statement } from '../check.js';
import type { Delivery } from '../events-receiver.js';
import { brief } from '../expectations.js';
import { Failure } from '../failure.js';
import type { Booking } from '../reading.js';

const MEDIA_TYPE = /^application\/cloudevents\+json\s*(?:;\s*charset="?utf-8"?)?$/i;

const eachEvent = (
  name: string,
  title: string,
  expectOf: (delivery: Delivery, text: string, event: Record<string, unknown>) => void,
): Statement =>
  check(`events.${name}`, title, async (service) => {
    const { deliveries, texts } = await service.delivered();
    if (deliveries.length === 0) throw new Failure('events of the bookings of this run', 'none');
    for (const delivery of deliveries) {
      expectOf(delivery, texts.get(delivery.bookingId)!, JSON.parse(delivery.body) as Record<string, unknown>);
    }
  });

function expectHeader(
  { headers }: Delivery,
  name: string,
  expected: string,
  isExpected: (got: string) => boolean,
): void {
  const { [name]: got = '(absent)' } = headers;
  if (!isExpected(got)) throw new Failure(`${name}: ${expected}`, `${name}: ${got}`);
}

export const events = checksOf('Events', 'events', [
  check('events.delivered', 'the endpoint is notified of every booking', async (service) => {
    const { deliveries, texts } = await service.delivered();
    const arrived = new Set(
      deliveries.filter(({ isAcknowledged }) => isAcknowledged).map(({ bookingId }) => bookingId),
    );
    const missing = [...texts.keys()].filter((id) => !arrived.has(id));
    if (missing.length > 0) throw new Failure(`events of ${texts.size} bookings`, `none of ${missing.join(', ')}`);
  }),
  eachEvent('media-type', 'an event is application/cloudevents+json in UTF-8', (delivery) => {
    expectHeader(delivery, 'content-type', 'application/cloudevents+json', (got) => MEDIA_TYPE.test(got));
  }),
  eachEvent('signature', '`webhook-signature` signs id, timestamp and body', (delivery) => {
    expectHeader(delivery, 'webhook-signature', 'one of the secret that was given', () => delivery.isSigned);
  }),
  eachEvent('timestamp', '`webhook-timestamp` is the time of the attempt in seconds', (delivery) => {
    const isNow = (got: string): boolean => /^\d+$/.test(got) && Math.abs(Date.now() / 1_000 - Number(got)) < 300;
    expectHeader(delivery, 'webhook-timestamp', 'about now', isNow);
  }),
  eachEvent('members', 'an event has the members of CloudEvents 1.0', (_, text, event) => {
    const { booking_id: id, created_at: time } = JSON.parse(text) as Booking;
    const { source } = event;
    const members = {
      specversion: '1.0',
      id: `created-${id}`,
      type: 'bookings.booking.created',
      subject: id,
      time,
      datacontenttype: 'application/json',
      source: typeof source === 'string' && source !== '' ? source : 'a URI reference',
    };
    for (const [name, value] of Object.entries(members)) {
      const got = brief(event[name] ?? '(absent)');
      if (event[name] !== value) throw new Failure(`${name}: ${value}`, `${name}: ${got}`);
    }
  }),
  eachEvent('data', '`data` is the booking, byte for byte as a get returns it', ({ body }, text, { data }) => {
    const isSame = body.includes(text) && JSON.stringify(data) === JSON.stringify(JSON.parse(text));
    if (!isSame) throw new Failure(brief(text), brief(body));
  }),
  check('events.again', 'after a 503 the same event is sent again', async (service) => {
    const { deliveries } = await service.delivered();
    const first = deliveries.find(({ isAcknowledged }) => !isAcknowledged);
    const again = deliveries.find((other) => other !== first && other.bookingId === first?.bookingId);
    if (first === undefined || again === undefined) {
      throw new Failure('two attempts, the first of them answered with 503', first === undefined ? 'none' : 'one');
    }
    if (first.body !== again.body) throw new Failure(brief(first.body), brief(again.body));
  }),
]);
