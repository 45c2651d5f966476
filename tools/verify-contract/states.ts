import type { BookingsClient } from '@booking-service/client';
import type { TestDatabase } from 'testing';
import type { Bookings } from './contract.js';

/** Replaces the bookings of a service for each interaction. */
export class States {
  /** Interactions whose state was made. */
  entered = 0;
  /** The id of the last event of the state. */
  eventId = '';

  constructor(
    private readonly client: BookingsClient,
    private readonly database: TestDatabase,
  ) {}

  readonly handlers = {
    '': () => this.enter({ bookings: [] }),
    'no bookings exist': () => this.enter({ bookings: [] }),
    'these bookings exist': (params: unknown) => this.enter(params as Bookings),
    'these bookings were deleted': (params: unknown) => this.enter(params as Bookings, 'deleted'),
  };

  /** @returns values of the last booking, for the request of the interaction */
  private async enter({ bookings }: Bookings, event = 'created'): Promise<{ booking_id: string; etag: string }> {
    await this.database.query('TRUNCATE bookings, webhook_deliveries');
    let last = { booking_id: '', etag: '' };
    for (const { payload, idempotency_key: key } of bookings) {
      const { data, headers } = await this.client.create(payload, key ? { idempotencyKey: key } : {}).withResponse();
      last = { booking_id: data.booking_id, etag: headers.get('etag') ?? '' };
    }
    if (event === 'deleted') await this.database.query('DELETE FROM bookings');
    this.eventId = `${event}-${last.booking_id}`;
    this.entered += 1;
    return last;
  }
}
