import type { SlotDto } from '@booking-service/contracts';
import type { ReceivedResponse } from 'testing/contract';

/** Sentences, each about one broken promise; empty when all were kept. */
export type Violations = string[];

/** One call. Recorded when it is invoked, so that a call that never completes is known too. */
export interface Call {
  /** The base URL that it was sent to. */
  readonly replica: string;
  /** Milliseconds on the clock of the one process that makes all calls. */
  readonly invoked: number;
  /** Infinity while it is open, and for ever if the response was lost: the call may take effect at any time. */
  completed: number;
  response?: ReceivedResponse;
}

/** `unavailable` is a response (503), but leaves open whether the booking was made, as `unknown` does. */
export type Outcome = 'created' | 'replayed' | 'slot-taken' | 'key-reused' | 'rejected' | 'unavailable' | 'unknown';

export interface Payload {
  /** Names the payload: no other has it. Rows of the database are traced back by it. */
  readonly request: string;
  readonly slot?: SlotDto;
  readonly note?: string;
}

export interface CreateCall extends Call {
  readonly kind: 'create';
  readonly key: string | undefined;
  readonly payload: Payload;
  outcome: Outcome;
}

export interface GetCall extends Call {
  readonly kind: 'get';
  readonly bookingId: string;
}

/** One page, requested without a cursor. */
export interface ListCall extends Call {
  readonly kind: 'list';
  readonly resourceId: string;
  readonly window: { from: string; to: string } | undefined;
}

/** All pages of a list. */
export interface Walk extends Call {
  readonly kind: 'walk';
  /** Its query, which leaves out no slot. */
  readonly list: Readonly<Record<string, string>>;
  /** Ids in the order of the pages. */
  readonly bookingIds: string[];
  /** Whether the last page was reached. */
  isWhole: boolean;
}

/** A booking as it was acknowledged. */
export interface Acknowledged {
  readonly bookingId: string;
  readonly call: CreateCall;
  readonly response: ReceivedResponse;
}

/** A row of the database. */
export interface KeptBooking {
  readonly bookingId: string;
  readonly resourceId: string | null;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly key: string | null;
  readonly json: string;
}

/** Every call of a test to the service. */
export class History {
  readonly creates: CreateCall[] = [];
  readonly gets: GetCall[] = [];
  readonly lists: ListCall[] = [];
  readonly walks: Walk[] = [];

  get calls(): (CreateCall | GetCall | ListCall | Walk)[] {
    return [...this.creates, ...this.gets, ...this.lists, ...this.walks];
  }

  /** Every 201. */
  acknowledged(): Acknowledged[] {
    return this.creates.filter(isAcknowledged).map((call) => {
      const response = call.response!;
      return { bookingId: (JSON.parse(response.text) as { booking_id: string }).booking_id, call, response };
    });
  }

  /** Milliseconds that the slowest response took; 0 without any response. */
  slowest(): number {
    const durations = this.calls
      .filter(({ response }) => response)
      .map(({ invoked, completed }) => completed - invoked);
    return durations.reduce((slowest, duration) => Math.max(slowest, duration), 0);
  }
}

export function isAcknowledged({ outcome }: CreateCall): boolean {
  return outcome === 'created' || outcome === 'replayed';
}

/** Whether a create may have made a booking, as far as its caller knows. */
export function mayHaveBooked(call: CreateCall): boolean {
  return isAcknowledged(call) || call.outcome === 'unknown' || call.outcome === 'unavailable';
}
