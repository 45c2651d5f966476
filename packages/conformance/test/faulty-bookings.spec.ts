import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateBookingDto, ListBookingsQuery, SlotDto } from '@booking-service/contracts';
import { failuresOf } from './judged.js';
import { type Kept, type Made, PlainBookings } from './plain/plain-bookings.js';
import { PlainService } from './plain/plain-service.js';
import { Rejected } from './plain/rejected.js';

class BooksTwice extends PlainBookings {
  protected override overlaps(): boolean {
    return false;
  }
}

class ClosesWindows extends PlainBookings {
  protected override overlaps([start, end]: [string, string], [otherStart, otherEnd]: [string, string]): boolean {
    return start <= otherEnd && otherStart <= end;
  }
}

class ChecksThenBooks extends PlainBookings {
  protected override async beforeKeeping({ slot }: Kept, key?: string): Promise<void> {
    if (slot !== undefined && key === undefined) await sleep(2);
  }
}

class ChecksThenKeepsKeys extends PlainBookings {
  protected override async beforeKeeping({ slot }: Kept, key?: string): Promise<void> {
    if (slot === undefined && key !== undefined) await sleep(2);
  }
}

class FoldsCase extends PlainBookings {
  protected override resource({ resource_id }: SlotDto): string {
    return resource_id.toLowerCase();
  }
}

class ShowsOthers extends PlainBookings {
  protected override shown({ json }: Kept): object {
    return JSON.parse(json) as object;
  }
}

class LosesKeys extends PlainBookings {
  override create(payload: CreateBookingDto): Promise<Made> {
    return super.create(payload);
  }
}

class KeepsKeysOfRejections extends PlainBookings {
  readonly #rejected = new Set<string>();

  override async create(payload: CreateBookingDto, key?: string): Promise<Made> {
    if (key !== undefined && this.#rejected.has(key)) throw new Rejected('slot-taken');
    try {
      return await super.create(payload, key);
    } catch (error) {
      if (key !== undefined && error instanceof Rejected && error.problem === 'slot-taken') this.#rejected.add(key);
      throw error;
    }
  }
}

class ComparesText extends PlainBookings {
  protected override fingerprint(payload: object): string {
    return JSON.stringify(payload);
  }
}

class SortsDetails extends PlainBookings {
  protected override make({ slot, ...details }: CreateBookingDto): Kept {
    const sorted = Object.fromEntries(Object.entries(details).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return super.make({ ...(slot && { slot }), ...sorted });
  }
}

class DropsBetweenPages extends PlainBookings {
  protected override placeAfter(cursor: string, query: ListBookingsQuery, listed: readonly Kept[]): number {
    return super.placeAfter(cursor, query, listed) + 1;
  }
}

class PagesByOffset extends PlainBookings {
  protected override cursor(_last: Kept, query: ListBookingsQuery, place: number): string {
    return `${place}-${this.seal(String(place), query)}`;
  }

  protected override placeAfter(cursor: string, query: ListBookingsQuery): number {
    const [place = ''] = cursor.split('-');
    if (cursor !== `${place}-${this.seal(place, query)}`) throw Rejected.at('#/cursor');
    return Number(place);
  }
}

class SealsNoFilter extends PlainBookings {
  protected override seal(text: string): string {
    return super.seal(text, { limit: 1, sort: 'start' });
  }
}

class SortsUpwards extends PlainBookings {
  protected override order(sort: string): (a: Kept, b: Kept) => number {
    return super.order(sort.replace('-', ''));
  }
}

class ListsWhatTouches extends PlainBookings {
  protected override isWithin({ start, end }: SlotDto, from = '', to = '~'): boolean {
    return start <= to && from <= end;
  }
}

class CountsCharacters extends PlainBookings {
  protected override sizeOf({ json }: Kept): number {
    return json.length;
  }
}

const faults: [string, PlainBookings, string[]][] = [
  [
    'books a slot twice',
    new BooksTwice(),
    [
      'operations.in-turn',
      'slot.overlap-refused',
      'slot.overlap.millisecond',
      'slot.overlap.offsets',
      'slot.overlap.conflicting-slot',
      'slot.overlap.again',
      'slot.overlap.many',
      'race.slot',
      'race.slot.overlaps',
      'key.refused-again',
      'race.retries',
      'problem.slot-taken',
      'header.cache-control.create',
    ],
  ],
  [
    'holds the instant at which a slot ends',
    new ClosesWindows(),
    ['slot.half-open', 'race.slot.apart', 'list.page.bytes'],
  ],
  ['looks for overlaps first and books later', new ChecksThenBooks(), ['race.slot', 'race.slot.overlaps']],
  ['looks for the key first and keeps it later', new ChecksThenKeepsKeys(), ['race.key', 'race.key.reused']],
  ['folds the case of resources', new FoldsCase(), ['slot.resource-id.exact', 'list.resource-id']],
  ['shows the booking that holds a slot', new ShowsOthers(), ['slot.overlap.conflicting-slot']],
  [
    'loses the keys',
    new LosesKeys(),
    [
      'booking.same-bytes',
      'create.judged.key',
      'key.syntax.taken',
      'key.syntax.quotes',
      'key.replay',
      'key.replay.header',
      'key.reused',
      'key.canonical',
      'key.as-sent',
      'key.no-body',
      'race.key',
      'race.key.replayed',
      'race.key.reused',
      'race.retries',
      'retry.lost-response',
      'problem.idempotency-key-reused',
    ],
  ],
  ['keeps the key of a rejected create', new KeepsKeysOfRejections(), ['key.refused-again']],
  ['compares payloads under a key as text', new ComparesText(), ['key.canonical']],
  ['keeps details in an order of its own', new SortsDetails(), ['booking.details.order']],
  [
    'drops a booking between two pages',
    new DropsBetweenPages(),
    [
      'list.limit.pages',
      'list.walk.once',
      'list.page.bytes',
      'list.cursor.limit',
      'list.walk.window',
      'list.walk.resource-window',
      'walk.busy.-created_at',
      'walk.busy.created_at',
      'walk.busy.start',
      'walk.busy.-start',
      'walk.busy.window',
      'walk.busy.newest',
      'walk.busy.at-once',
    ],
  ],
  [
    'pages by offset',
    new PagesByOffset(),
    ['walk.busy.-created_at', 'walk.busy.start', 'walk.busy.-start', 'walk.busy.window', 'walk.busy.newest'],
  ],
  ['measures pages in characters', new CountsCharacters(), ['list.page.bytes']],
  ['takes a cursor of another filter', new SealsNoFilter(), ['list.cursor.bound']],
  [
    'sorts upwards whatever the query',
    new SortsUpwards(),
    [
      'list.sort.there',
      'list.sort.created-at',
      'list.sort.start',
      'list.sort.ties',
      'list.sort.without-slot',
      'list.walk.window',
      'list.walk.resource-window',
      'walk.busy.newest',
    ],
  ],
  [
    'lists slots that only touch the window',
    new ListsWhatTouches(),
    ['list.window.edges', 'list.walk.window', 'list.walk.resource-window'],
  ],
];

describe('A service that', () => {
  it.each(faults)('%s fails the checks of that, and no other', async (_, bookings, failures) => {
    expect(await failuresOf(new PlainService(bookings))).toEqual(failures);
  });
});
