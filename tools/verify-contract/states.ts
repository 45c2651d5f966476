import type { BookingsClient } from '@booking-service/client';
import type { TestDatabase } from 'testing';
import * as z from 'zod';

const booking = z.strictObject({ payload: z.record(z.string(), z.unknown()), idempotency_key: z.string().optional() });
const parameters = z.strictObject({ bookings: z.array(booking).min(1) });

/** Replaces the bookings of a service for each interaction. */
export class States {
  /** Number of interactions whose state was made. */
  entered = 0;
  /** The id of the last event of the state. */
  eventId = '';

  constructor(
    private readonly client: BookingsClient,
    private readonly database: TestDatabase,
  ) {}

  readonly handlers = {
    '': () => this.enter([]),
    'no bookings exist': () => this.enter([]),
    'these bookings exist': async (given: unknown) => this.enter(parameters.parse(given).bookings),
    'these bookings were deleted': async (given: unknown) => this.enter(parameters.parse(given).bookings, 'deleted'),
  };

  /** @returns values of the last booking, for the request of the interaction */
  private async enter(bookings: z.output<typeof booking>[], event = 'created') {
    await this.database.query('TRUNCATE bookings, webhook_deliveries');
    const values = { booking_id: '', etag: '' };
    for (const { payload, idempotency_key: key } of bookings) {
      const { data, headers } = await this.client.create(payload, key ? { idempotencyKey: key } : {}).withResponse();
      Object.assign(values, { booking_id: data.booking_id, etag: headers.get('etag') });
    }
    if (event === 'deleted') await this.database.query('DELETE FROM bookings');
    this.eventId = `${event}-${values.booking_id}`;
    this.entered += 1;
    return values;
  }
}
