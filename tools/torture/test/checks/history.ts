import type { SlotDto } from '@booking-service/contracts';
import type { ReceivedResponse } from 'testing/contract';

/** Sentences, each about a broken promise. */
export type Violations = string[];

/** A call, recorded when it is sent. */
export interface Call {
  readonly replica: string;
  /** Milliseconds of `performance.now()`. */
  readonly invoked: number;
  /** Infinity until there is a response: a call whose response was lost may take effect at any time. */
  completed: number;
  response?: ReceivedResponse;
}

/** After `unavailable` (503) and `unknown` (no response), a booking may have been made. */
export type Outcome = 'created' | 'replayed' | 'slot-taken' | 'key-reused' | 'rejected' | 'unavailable' | 'unknown';

export interface Payload {
  /** Unique, so that a row can be traced to its calls. */
  readonly request: string;
  readonly slot?: SlotDto;
  readonly note?: string;
}

export interface CreateCall extends Call {
  readonly key: string | undefined;
  readonly payload: Payload;
  outcome: Outcome;
  bookingId?: string;
}

export type Acknowledged = CreateCall & Required<Pick<CreateCall, 'bookingId' | 'response'>>;

export interface GetCall extends Call {
  readonly bookingId: string;
}

/** The first page of a list. */
export interface ListCall extends Call {
  readonly resourceId: string;
  readonly window: { from: string; to: string } | undefined;
}

export interface Walk extends Call {
  /** A query that excludes no booking with a slot. */
  readonly list: Readonly<Record<string, string>>;
  readonly bookingIds: string[];
  /** Whether the last page was reached. */
  isWhole: boolean;
}

export interface KeptBooking {
  readonly bookingId: string;
  readonly resourceId: string | null;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly key: string | null;
  readonly json: string;
}

export class History {
  readonly creates: CreateCall[] = [];
  readonly gets: GetCall[] = [];
  readonly lists: ListCall[] = [];
  readonly walks: Walk[] = [];

  get calls(): Call[] {
    return [...this.creates, ...this.gets, ...this.lists, ...this.walks];
  }

  get acknowledged(): Acknowledged[] {
    return this.creates.filter(isAcknowledged);
  }

  /** The first 201 of every booking, by id. */
  get bookings(): Map<string, Acknowledged> {
    const latestFirst = this.acknowledged.toSorted((a, b) => b.completed - a.completed);
    return new Map(latestFirst.map((call) => [call.bookingId, call]));
  }

  get durations(): number[] {
    return this.calls.filter(({ response }) => response).map(({ invoked, completed }) => completed - invoked);
  }

  get slowest(): number {
    return this.durations.reduce((slowest, duration) => Math.max(slowest, duration), 0);
  }
}

export function isAcknowledged(call: CreateCall): call is Acknowledged {
  return call.bookingId !== undefined;
}

export function mayHaveBooked(call: CreateCall): boolean {
  return isAcknowledged(call) || call.outcome === 'unknown' || call.outcome === 'unavailable';
}
