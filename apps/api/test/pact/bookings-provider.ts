import { createBookingSchema, validate } from '@booking-service/contracts';
import type { IncomingMessage } from 'node:http';
import { type Booking, etagOf } from '../../src/bookings/booking.js';
import { BookingsService } from '../../src/bookings/bookings.service.js';
import { idempotencyKeyOf } from '../../src/http/request-head.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import type { BookingsState, StateHandlers } from 'verify-contract';

interface ProviderOptions {
  /** Settings of the service. */
  env?: Record<string, string>;
  /** Whose idempotency keys the states have, where the service requires tokens. */
  callerId?: string;
}

/**
 * The real service, to be put into the states that contracts name. No operation removes bookings, so
 * every state begins with a new service, on the same port.
 */
export class BookingsProvider {
  private running: RunningApp | undefined;
  private port = 0;

  constructor(private readonly options: ProviderOptions = {}) {}

  readonly stateHandlers: StateHandlers = {
    'no bookings exist': async () => void (await this.start()),
    'these bookings exist': (state) => this.startWith(state),
    'these bookings were deleted': async (state) => {
      const last = await this.startWith(state);
      await this.start();
      return last;
    },
  };

  /** @returns the URL of the service, which stays the same however often it is started */
  async start(): Promise<string> {
    await this.stop();
    this.running = await startApp(this.options.env, { port: this.port });
    this.port = Number(new URL(this.running.url).port);
    return this.running.url;
  }

  async stop(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
  }

  private async startWith({ bookings }: BookingsState): Promise<{ booking_id: string; etag: string }> {
    await this.start();
    const service = this.running!.app.get(BookingsService);
    let last: Booking | undefined;
    for (const { payload, idempotency_key: key } of bookings) {
      const validated = validate(createBookingSchema, payload);
      if (!('value' in validated)) throw new Error(`a booking is invalid: ${JSON.stringify(validated.faults)}`);
      const headers = { 'idempotency-key': key };
      const idempotencyKey = idempotencyKeyOf({ headers } as unknown as IncomingMessage);
      const outcome = await service.create(validated.value, idempotencyKey, this.options.callerId);
      if (!('booking' in outcome)) throw new Error(`the create of a booking got ${outcome.kind}`);
      last = outcome.booking;
    }
    return { booking_id: last!.bookingId, etag: etagOf(last!) };
  }
}
