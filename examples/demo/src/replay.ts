import {
  type BookingDto,
  type BookingsClient,
  IdempotencyKeyReusedError,
  InvalidBookingError,
  SlotTakenError,
} from '@booking-service/client';
import type { UnreliableNetwork } from './unreliable-network.js';
import type { BookingRequest } from './week.js';

export interface Acceptance {
  request: BookingRequest;
  booking: BookingDto;
}

export interface Rejection {
  request: BookingRequest;
  error: SlotTakenError | InvalidBookingError | IdempotencyKeyReusedError;
}

/** Sends requests one after another, and records their outcomes. */
export class Replay {
  readonly accepted: Acceptance[] = [];
  readonly rejected: Rejection[] = [];
  /** Replays (two clicks on one button), which got the booking of the first request. */
  readonly repeated: Acceptance[] = [];

  readonly #client: BookingsClient;
  readonly #network: UnreliableNetwork;
  readonly #ids = new Set<string>();

  constructor(client: BookingsClient, network: UnreliableNetwork) {
    this.#client = client;
    this.#network = network;
  }

  /** @throws every error of the client that is not a rejection: the outcome is then unknown */
  async send(request: BookingRequest): Promise<void> {
    if (request.response === 'lost') this.#network.loseNextResponse();
    try {
      const booking = await this.#client.create(request.payload, { idempotencyKey: request.key });
      const isNew = !this.#ids.has(booking.booking_id);
      this.#ids.add(booking.booking_id);
      (isNew ? this.accepted : this.repeated).push({ request, booking });
    } catch (error) {
      if (!isRejection(error)) throw error;
      this.rejected.push({ request, error });
    }
  }
}

function isRejection(error: unknown): error is Rejection['error'] {
  return [SlotTakenError, InvalidBookingError, IdempotencyKeyReusedError].some((type) => error instanceof type);
}
