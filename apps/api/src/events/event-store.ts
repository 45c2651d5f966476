import type { BookingCreated } from './event.js';

/** From which booking on an endpoint is told, when it is first seen. */
export type StartOfEvents = 'now' | 'first';

/** How far an endpoint is. */
export interface Progress {
  /** It acknowledged this sequence and all before it. */
  readonly delivered: number;
  /** The last sequence up to there that matched its filter; 0 without one. */
  readonly previous: number;
  /** Acknowledged beyond `delivered`. */
  readonly ahead: readonly number[];
  /** Attempts that failed, one after the other. */
  readonly attempts: number;
  /** Milliseconds since 1970 of the first of them. */
  readonly failingSince: number | undefined;
}

/** What is kept when an endpoint is let go, or goes on. */
export interface Saved extends Progress {
  /** Milliseconds for which nothing is sent to it. */
  readonly pause: number;
  /** The URL that wants no more events, where that is so. */
  readonly endedUrl: string | undefined;
  /** Whether it is let go. */
  readonly isReleased: boolean;
}

/** An endpoint that was claimed. */
export interface Claimed extends Progress {
  /** Whether parked events are to be sent once more. */
  readonly hasParked: boolean;
}

export interface Batch {
  /** Those that are not acknowledged yet, in the order of their sequence. */
  readonly events: readonly BookingCreated[];
  /** The progress once they are: up to here nothing else is for this endpoint. */
  readonly upTo: Pick<Progress, 'delivered' | 'previous'>;
  /** Whether more may follow. */
  readonly isFull: boolean;
}

export interface EventsToDo {
  /** Whether bookings wait for their sequence. */
  readonly isUnnumbered: boolean;
  /** Endpoints that are due, are nobody's, and have not been told all. */
  readonly endpoints: readonly string[];
}

export interface EndpointState {
  readonly name: string;
  readonly progress: Progress;
  /** Bookings that it was not told of yet. */
  readonly behind: number;
  /** Milliseconds since 1970 at which the first of them was made; undefined without one. */
  readonly oldest: number | undefined;
  readonly parked: number;
  /** Milliseconds until the next attempt. */
  readonly pause: number;
  /** The URL that wants no more events. */
  readonly endedUrl: string | undefined;
}

export interface ParkedEvent {
  readonly sequence: number;
  readonly bookingId: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly parkedAt: number;
  /** Whether it is to be sent once more. */
  readonly isDue: boolean;
}

/** Milliseconds for which an endpoint belongs to whoever claimed or saved it last. */
export const LEASE = 5_000;

/** Events, and bytes of JSON, that are read at once; one event at least. */
export const MAX_EVENTS = 128;
export const MAX_EVENT_BYTES = 4 * 2 ** 20;

/**
 * The order of the bookings, and how far each endpoint was told of it. Several processes may share one; each method is
 * one step for all of them.
 *
 * Every other method may throw an Error of which {@link isAway} holds: the store cannot be asked now, and whether the step
 * was made is open.
 */
export abstract class EventStore {
  /** Whether an error says that the store cannot be asked now; it is no fault of this process then. */
  abstract isAway(error: unknown): boolean;

  /** Has bookings noted from now on. @returns whether that was not so before */
  abstract switchOn(): Promise<boolean>;

  /** Makes an endpoint known, unless it is. */
  abstract register(endpoint: string, start: StartOfEvents): Promise<void>;

  /** Gives some bookings their sequence. @returns whether more may wait for theirs */
  abstract number(): Promise<boolean>;

  abstract toDo(): Promise<EventsToDo>;

  /**
   * Takes an endpoint that is due for {@link LEASE} milliseconds, unless it is another's.
   *
   * @param owner a UUID of this process
   * @param url nothing is claimed where this is the one that wants no more events
   */
  abstract claim(endpoint: string, owner: string, url: string): Promise<Claimed | undefined>;

  /** Keeps the progress, and the claim for another {@link LEASE}. @returns false where it was lost; nothing is kept then */
  abstract save(endpoint: string, owner: string, saved: Saved): Promise<boolean>;

  /**
   * Events after `delivered`, those left out that are ahead or parked.
   *
   * @param prefix of the `resource_id`; '' is any, none included
   */
  abstract read(endpoint: string, progress: Progress, prefix: string): Promise<Batch>;

  /** Parked events that are to be sent once more, with the `previous` that they had. */
  abstract readParked(endpoint: string): Promise<readonly BookingCreated[]>;

  /** Takes an event out of the way, until it is asked for by {@link retry}. */
  abstract park(endpoint: string, event: Pick<BookingCreated, 'sequence' | 'previous'>, reason: string): Promise<void>;

  abstract unpark(endpoint: string, sequence: number): Promise<void>;

  /** Has parked events sent once more, one or all of them. @returns how many */
  abstract retry(endpoint: string, sequence?: number): Promise<number>;

  /** Has an endpoint tried at once, whether it failed or wanted no more events. @returns whether it is known */
  abstract wake(endpoint: string): Promise<boolean>;

  /** Of all endpoints that were ever made known. */
  abstract states(): Promise<readonly EndpointState[]>;

  abstract parked(endpoint: string): Promise<readonly ParkedEvent[]>;
}
