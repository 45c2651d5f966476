import { BookingsClient } from '@booking-service/client';
import type { TestDatabase } from 'testing';
import type { BookingsState } from './contract.js';

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
    '': () => this.enter([]),
    'no bookings exist': () => this.enter([]),
    'these bookings exist': (params: unknown) => this.enter((params as BookingsState).bookings),
    'these bookings were deleted': (params: unknown) => this.enter((params as BookingsState).bookings, 'deleted'),
  };

  /** @returns values of the last booking, for the request of the interaction */
  private async enter(bookings: BookingsState['bookings'], event: 'created' | 'deleted' = 'created'): Promise<object> {
    await this.database.query('TRUNCATE bookings, webhook_deliveries');
    let [id, etag] = ['', ''];
    for (const { payload, idempotency_key: idempotencyKey } of bookings) {
      const options = idempotencyKey === undefined ? {} : { idempotencyKey };
      const { data, headers } = await this.client.create(payload, options).withResponse();
      [id, etag] = [data.booking_id, headers.get('etag') ?? ''];
    }
    if (event === 'deleted') await this.database.query('DELETE FROM bookings');
    this.eventId = `${event}-${id}`;
    this.entered += 1;
    return { booking_id: id, etag };
  }
}
