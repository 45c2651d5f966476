import type { TestDatabase } from 'testing';
import * as z from 'zod';

const booking = z.strictObject({ payload: z.record(z.string(), z.unknown()), idempotency_key: z.string().optional() });
const parameters = z.strictObject({ bookings: z.array(booking).min(1) });

/** Sets up the state of each interaction, by replacing the bookings of the service. */
export class States {
  /** The number of interactions whose state was set up. */
  entered = 0;
  /** The id of the last event that the state causes; undefined if it causes none. */
  eventId: string | undefined;

  constructor(
    private readonly serviceUrl: string,
    private readonly database: TestDatabase,
  ) {}

  readonly handlers = {
    '': () => this.enter([]),
    'no bookings exist': () => this.enter([]),
    'these bookings exist': async (given: unknown) => this.enter(bookingsOf(given)),
    'these bookings were deleted': async (given: unknown) => this.enter(bookingsOf(given), 'deleted'),
  };

  readonly names = Object.keys(this.handlers).filter((name) => name !== '');

  /** @returns values of the last booking, which the interaction's request may contain */
  private async enter(bookings: z.output<typeof booking>[], event = 'created') {
    await this.database.query('TRUNCATE bookings, webhook_deliveries');
    let values = { booking_id: '', etag: '' };
    for (const { payload, idempotency_key } of bookings) values = await this.create(payload, idempotency_key);
    if (event === 'deleted') await this.database.query('DELETE FROM bookings');
    this.eventId = bookings.length === 0 ? undefined : `${event}-${values.booking_id}`;
    this.entered += 1;
    return values;
  }

  /** Creates a booking. Any successful response will do: judging it is up to the contract. */
  private async create(payload: object, key: string | undefined) {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (key !== undefined) headers['Idempotency-Key'] = key;
    const body = JSON.stringify(payload);
    const response = await fetch(`${this.serviceUrl}/v1/bookings`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`The service rejects the booking ${body} of the state: ${text}`);
    const { booking_id = '' } = JSON.parse(text) as { booking_id?: string };
    return { booking_id, etag: response.headers.get('etag') ?? '' };
  }
}

function bookingsOf(given: unknown): z.output<typeof booking>[] {
  const { data, error } = parameters.safeParse(given);
  if (error !== undefined) throw new Error(`The parameters of the state are wrong:\n${z.prettifyError(error)}`);
  return data.bookings;
}
