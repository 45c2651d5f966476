import { type Booking, createdAtOf } from '../bookings/booking.js';
import type { BookingCreated } from './event.js';
import {
  type Batch,
  type Claimed,
  type EndpointState,
  EventStore,
  type EventsToDo,
  MAX_EVENT_BYTES,
  MAX_EVENTS,
  type ParkedEvent,
  type Progress,
  type Saved,
  type StartOfEvents,
} from './event-store.js';

/** Bookings that are looked through at once for those that match a filter. */
const MAX_FILTERED = 16_384;

interface Endpoint {
  progress: Progress;
  /** Instant of `performance.now()`. */
  due: number;
  endedUrl: string | undefined;
  isClaimed: boolean;
  readonly parked: Map<number, ParkedEvent & { readonly previous: number }>;
}

const UNTOLD = { previous: 0, ahead: [], attempts: 0, failingSince: undefined };

/** The order of the bookings of this process, which lasts as long as they do. */
export class InMemoryEventStore extends EventStore {
  /** The booking of sequence 1 is the first. */
  private readonly bookings: Booking[] = [];
  private readonly endpoints = new Map<string, Endpoint>();

  /** Called once for each booking, in the order in which they were kept. */
  add(booking: Booking): void {
    this.bookings.push(booking);
  }

  override isAway(): boolean {
    return false;
  }

  override async switchOn(): Promise<boolean> {
    return false;
  }

  override async register(endpoint: string, start: StartOfEvents): Promise<void> {
    if (this.endpoints.has(endpoint)) return;
    const delivered = start === 'first' ? 0 : this.bookings.length;
    this.endpoints.set(endpoint, {
      progress: { delivered, ...UNTOLD },
      due: 0,
      endedUrl: undefined,
      isClaimed: false,
      parked: new Map(),
    });
  }

  override async number(): Promise<boolean> {
    return false;
  }

  override async toDo(): Promise<EventsToDo> {
    const endpoints = [...this.endpoints].filter(
      ([, endpoint]) =>
        !endpoint.isClaimed &&
        endpoint.due <= performance.now() &&
        (endpoint.progress.delivered < this.bookings.length || hasDue(endpoint)),
    );
    return { isUnnumbered: false, endpoints: endpoints.map(([name]) => name) };
  }

  override async claim(endpoint: string, _owner: string, url: string): Promise<Claimed | undefined> {
    const found = this.endpoints.get(endpoint);
    if (found === undefined || found.isClaimed || found.due > performance.now() || found.endedUrl === url) {
      return undefined;
    }
    found.isClaimed = true;
    return { ...found.progress, hasParked: hasDue(found) };
  }

  override async save(endpoint: string, _owner: string, saved: Saved): Promise<boolean> {
    const { pause, endedUrl, isReleased, ...progress } = saved;
    const found = this.endpoints.get(endpoint)!;
    Object.assign(found, { progress, due: performance.now() + pause, endedUrl, isClaimed: !isReleased });
    return true;
  }

  override async read(endpoint: string, progress: Progress, prefix: string): Promise<Batch> {
    const { parked } = this.endpoints.get(endpoint)!;
    const events: BookingCreated[] = [];
    let { delivered, previous } = progress;
    const end = Math.min(this.bookings.length, delivered + MAX_FILTERED);
    for (let bytes = 0; delivered < end && events.length < MAX_EVENTS; delivered++) {
      const booking = this.bookings[delivered]!;
      const sequence = delivered + 1;
      if (prefix !== '' && booking.slot?.resourceId.startsWith(prefix) !== true) continue;
      if (!progress.ahead.includes(sequence) && !parked.has(sequence)) {
        bytes += booking.json.length;
        if (bytes > MAX_EVENT_BYTES && events.length > 0) break;
        events.push(eventOf(booking, sequence, previous));
      }
      previous = sequence;
    }
    return { events, upTo: { delivered, previous }, isFull: delivered < this.bookings.length };
  }

  override async readParked(endpoint: string): Promise<readonly BookingCreated[]> {
    const due = [...this.endpoints.get(endpoint)!.parked.values()].filter(({ isDue }) => isDue).slice(0, 16);
    return due.map(({ sequence, previous }) => eventOf(this.bookings[sequence - 1]!, sequence, previous));
  }

  override async park(
    endpoint: string,
    { sequence, previous }: Pick<BookingCreated, 'sequence' | 'previous'>,
    reason: string,
  ): Promise<void> {
    const { bookingId } = this.bookings[sequence - 1]!;
    const parked = { sequence, previous, bookingId, reason, parkedAt: Date.now(), isDue: false };
    this.endpoints.get(endpoint)!.parked.set(sequence, parked);
  }

  override async unpark(endpoint: string, sequence: number): Promise<void> {
    this.endpoints.get(endpoint)!.parked.delete(sequence);
  }

  override async retry(endpoint: string, sequence?: number): Promise<number> {
    const { parked } = this.endpoints.get(endpoint)!;
    const wanted = [...parked.values()].filter((event) => sequence === undefined || event.sequence === sequence);
    for (const event of wanted) parked.set(event.sequence, { ...event, isDue: true });
    return wanted.length;
  }

  override async wake(endpoint: string): Promise<boolean> {
    const found = this.endpoints.get(endpoint);
    if (found !== undefined) Object.assign(found, { due: 0, endedUrl: undefined });
    return found !== undefined;
  }

  override async states(): Promise<readonly EndpointState[]> {
    return [...this.endpoints].map(([name, { progress, due, endedUrl, parked }]) => {
      const next = this.bookings[progress.delivered];
      return {
        name,
        progress,
        behind: this.bookings.length - progress.delivered,
        oldest: next && createdAtOf(next.bookingId),
        parked: parked.size,
        pause: Math.max(0, due - performance.now()),
        endedUrl,
      };
    });
  }

  override async parked(endpoint: string): Promise<readonly ParkedEvent[]> {
    const parked = [...(this.endpoints.get(endpoint)?.parked.values() ?? [])];
    return parked.toSorted((one, other) => one.sequence - other.sequence);
  }
}

function hasDue({ parked }: Endpoint): boolean {
  return [...parked.values()].some(({ isDue }) => isDue);
}

function eventOf({ bookingId, slot, json }: Booking, sequence: number, previous: number): BookingCreated {
  return { sequence, previous, bookingId, resourceId: slot?.resourceId, json };
}
