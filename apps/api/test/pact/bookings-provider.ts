import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VerifierOptions } from '@pact-foundation/pact';
import type { CreateBookingDto } from '@booking-service/contracts';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { etagOf } from '../../src/bookings/booking.js';
import type { CreateOutcome } from '../../src/bookings/bookings.repository.js';
import { BookingsService } from '../../src/bookings/bookings.service.js';
import { readConfig } from '../../src/config.js';
import { createApp } from '../../src/create-app.js';

export type Middleware = RequestHandler;

interface BookingsState {
  bookings: { payload: CreateBookingDto; idempotency_key?: string }[];
}

/**
 * The real service, to be put into the states that contracts name. Bookings never go away, so every
 * state begins with a new service, on the same port.
 */
export class BookingsProvider {
  private app: NestExpressApplication | undefined;
  private port = 0;

  constructor(private readonly middleware?: Middleware) {}

  readonly stateHandlers: NonNullable<VerifierOptions['stateHandlers']> = {
    'no bookings exist': () => this.start().then(() => {}),
    'these bookings exist': (parameters: unknown) => this.startWith(parameters as BookingsState),
  };

  /** @returns the URL of the service, which stays the same however often it is started */
  async start(): Promise<string> {
    await this.stop();
    this.app = await createApp(readConfig({}));
    if (this.middleware !== undefined) this.app.use(this.middleware);
    await this.app.init();
    const server: Server = this.app.getHttpServer().listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    await this.app?.close();
    this.app = undefined;
  }

  private async startWith({ bookings }: BookingsState): Promise<{ booking_id: string; etag: string }> {
    await this.start();
    const service = this.app!.get(BookingsService);
    const outcomes: CreateOutcome[] = [];
    for (const { payload, idempotency_key } of bookings) outcomes.push(await service.create(payload, idempotency_key));
    const last = outcomes.at(-1);
    if (last === undefined) throw new Error('The state `these bookings exist` names no booking.');
    return { booking_id: last.booking.bookingId, etag: etagOf(last.booking) };
  }
}
