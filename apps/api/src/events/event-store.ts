import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { isPrivilegeMissing, SchemaMismatch } from '../database/postgres-errors.js';
import type { Batch, PendingEvent, Position, Progress, SavedProgress } from './endpoint-progress.js';
import {
  type ClaimRow,
  type DeferredRow,
  type EndpointState,
  eventOf,
  type ParkedEvent,
  parkedEventOf,
  type ParkedRow,
  progressOf,
  type ScannedRow,
  stateOf,
  type StateRow,
} from './event-rows.js';
import * as sql from './event-statements.js';
import { type BookingEvent, laneOf } from './event.js';
import type { Endpoint } from './webhooks-file.js';

export interface Work {
  /** Whether bookings wait for their sequence. */
  readonly hasUnsequenced: boolean;
  /** Endpoints that are due, that no process has claimed, and that have something to receive. */
  readonly endpoints: readonly string[];
}

export interface Claim {
  readonly progress: Progress;
  /** Whether it had a lease or a pause of before the clock of the database went back. */
  readonly wasSetBack: boolean;
}

export interface Deferred {
  /** In the order of their sequence, those of the first to be due. */
  readonly events: readonly PendingEvent[];
  /** Sequences of which the store knows nothing more: there is nothing to send. */
  readonly missing: readonly number[];
  /** Whether more may follow. */
  readonly isFull: boolean;
}

/**
 * The order of the bookings, and how far each endpoint received it: the tables of `migrations/0005_booking_events.sql` and
 * those after it, which all replicas share. Each method is one step, and throws `DatabaseUnavailable` where the database is
 * away; whether the step was made is open then.
 */
@Injectable()
export class EventStore {
  constructor(private readonly database: Database) {}

  /**
   * Has bookings noted from now on.
   *
   * @returns whether that was not so before
   * @throws SchemaMismatch if that was not so, and the role does not own the tables
   */
  async switchOn(): Promise<boolean> {
    if (await this.isOn()) return false;
    try {
      const switched = await this.database.write<{ done: boolean }>(sql.SWITCH_ON);
      return switched.rows[0]!.done;
    } catch (error) {
      if (!isPrivilegeMissing((error as Error).cause)) throw error;
      throw new SchemaMismatch(
        'events are off. As the owner of the tables, run `node dist/cli/webhooks.js on` in the folder of the service.',
      );
    }
  }

  /** Whether bookings are noted. */
  async isOn(): Promise<boolean> {
    const { rows } = await this.database.run<{ on: boolean }>(sql.IS_ON);
    return rows[0]!.on;
  }

  /** The process of the server that has held a lock for the longest time which switching events on waits for. */
  async tableHolder(): Promise<{ pid: number; mode: string } | undefined> {
    const { rows } = await this.database.run<{ pid: number; mode: string }>(sql.TABLE_HOLDER);
    return rows[0];
  }

  /** @returns whether bookings were noted before */
  async switchOff(): Promise<boolean> {
    const { rows } = await this.database.write<{ done: boolean }>(sql.SWITCH_OFF);
    return rows[0]!.done;
  }

  /** Makes an endpoint known, unless it is. */
  async register({ name, from }: Pick<Endpoint, 'name' | 'from'>): Promise<void> {
    await this.database.write(sql.REGISTER, [name, from === 'first']);
  }

  /** Keeps that a running service has endpoints in its file, for two minutes. */
  async markSeen(names: readonly string[]): Promise<void> {
    await this.database.write(sql.MARK_SEEN, [names]);
  }

  /** Gives some bookings their sequence. @returns whether more may wait for theirs */
  async assignSequences(): Promise<boolean> {
    const { rows } = await this.database.write<{ scanned: number | null }>(sql.ASSIGN_SEQUENCES);
    return (rows[0]!.scanned ?? 0) >= sql.MAX_ASSIGNED;
  }

  /** @param isThorough whether it finds bookings also where their positions began anew; that is slow beside old snapshots */
  async findWork(isThorough = true): Promise<Work> {
    const { rows } = await this.database.run<{ unsequenced: boolean; endpoints: string[] }>(sql.FIND_WORK, [
      isThorough,
    ]);
    return { hasUnsequenced: rows[0]!.unsequenced, endpoints: rows[0]!.endpoints };
  }

  /**
   * Takes an endpoint that is due and wants events at its URL, unless another owner has it.
   *
   * @param owner a UUID
   * @param evenIfPaused whether it is taken although it is not due
   */
  async claim({ name, url }: Endpoint, owner: string, evenIfPaused = false): Promise<Claim | undefined> {
    const { rows } = await this.database.write<ClaimRow>(sql.CLAIM, [name, owner, url, evenIfPaused]);
    return rows[0] && { progress: progressOf(rows[0]), wasSetBack: rows[0].was_set_back };
  }

  /**
   * Keeps the progress of an endpoint.
   *
   * @param isKept whether it stays its owner's; otherwise it is released
   * @returns false where another owner may have it; nothing is kept then
   */
  async save(endpoint: string, owner: string, progress: SavedProgress, isKept: boolean): Promise<boolean> {
    const { delivered, previous, ahead, failures, failingFor, pause, endedUrl, lastAttempt, settled } = progress;
    const values = [endpoint, owner, delivered, previous, ahead, failures, failingFor, pause, endedUrl, isKept];
    values.push(lastAttempt?.result, lastAttempt?.age, settled ?? []);
    const { rowCount } = await this.database.write(sql.SAVE, values);
    return rowCount === 1;
  }

  /**
   * Events after `delivered`, without those that are ahead, deferred or parked.
   *
   * @param prefix of the `resource_id`; '' is any, none included
   */
  async read(endpoint: string, position: Position, prefix: string): Promise<Batch> {
    const { delivered, previous, ahead } = position;
    const isFiltered = prefix !== '';
    const most = isFiltered ? sql.MAX_SCANNED : sql.MAX_EVENTS;
    const values = [endpoint, delivered, previous, ...(isFiltered ? [prefix] : [])];
    const { rows } = await this.database.run<ScannedRow>(isFiltered ? sql.READ_FILTERED : sql.READ, values);
    const { scanned, scanned_to, matches } = rows[0]!;
    const found = rows.filter((row) => row.sequence !== null);
    const all = found.map(eventOf);
    const held = new Set(all.filter((_, index) => found[index]!.held).map(({ sequence }) => sequence));
    const last = all.at(-1);
    const isCut = all.length < Number(matches ?? 0);
    const events = all.filter(({ sequence }, index) => !found[index]!.parked && !ahead.includes(sequence));
    const upTo = isCut ? last!.sequence : Number(scanned_to);
    return {
      events,
      held,
      upTo: { delivered: upTo, previous: last?.sequence ?? previous },
      isFull: isCut || Number(scanned) === most,
    };
  }

  /**
   * Some of the deferred events that are due, with the `previous` that they had.
   *
   * @param inHand sequences that are left out
   * @param busy lanes that are left out
   */
  async readDeferred(
    endpoint: string,
    inHand: readonly number[] = [],
    busy: readonly string[] = [],
  ): Promise<Deferred> {
    const { rows } = await this.database.run<DeferredRow>(sql.READ_DEFERRED, [endpoint, inHand, busy]);
    const events = rows.flatMap((row) =>
      row.sequence === null ? [] : [{ event: eventOf(row), isDeferred: true, rejections: row.rejections }],
    );
    const missing = rows.filter(({ sequence }) => sequence === null).map(({ deferred }) => Number(deferred));
    return { events, missing, isFull: rows.length === sql.MAX_EVENTS };
  }

  /** Has events sent beside the position of an endpoint, after those of their lanes that are deferred already. */
  async defer(endpoint: string, events: readonly BookingEvent[]): Promise<void> {
    const sequences = events.map(({ sequence }) => sequence);
    const previous = events.map((event) => event.previous);
    await this.database.write(sql.DEFER, [endpoint, sequences, previous, events.map(laneOf)]);
  }

  /** Has an event sent again, and those of its lane after it. @param pause milliseconds */
  async reject(endpoint: string, event: BookingEvent, reason: string, pause: number): Promise<void> {
    const { sequence, previous } = event;
    await this.database.write(sql.REJECT, [endpoint, sequence, previous, laneOf(event), reason, pause]);
  }

  /** Has an event sent no more, until {@link retry}. */
  async park(
    endpoint: string,
    event: Pick<BookingEvent, 'sequence' | 'previous' | 'resourceId' | 'bookingId'>,
    reason: string,
  ): Promise<void> {
    const { sequence, previous } = event;
    await this.database.write(sql.PARK, [endpoint, sequence, previous, laneOf(event), reason]);
  }

  /** Has parked events sent again, one or all of them. @returns how many */
  async retry(endpoint: string, sequence?: number): Promise<number> {
    const until = sequence ?? Number.MAX_SAFE_INTEGER;
    let retried = 0;
    for (let after = sequence === undefined ? 0 : sequence - 1; ;) {
      const values = [endpoint, after, until];
      const { rows } = await this.database.write<{ count: string; last: string | null }>(sql.RETRY, values);
      const { count, last } = rows[0]!;
      if (last === null) return retried;
      retried += Number(count);
      after = Number(last);
    }
  }

  /** Ends the pause of an endpoint, also of one that wanted no more events. @returns whether it is known */
  async wake(endpoint: string): Promise<boolean> {
    const { rowCount } = await this.database.write(sql.WAKE, [endpoint]);
    return rowCount === 1;
  }

  /** Of all endpoints that were ever made known. */
  async states(): Promise<readonly EndpointState[]> {
    const { rows } = await this.database.run<StateRow>(sql.STATES);
    return rows.map(stateOf);
  }

  /** @returns 1,000 at most, in the order of their sequence */
  async parked(endpoint: string): Promise<readonly ParkedEvent[]> {
    const { rows } = await this.database.run<ParkedRow>(sql.PARKED, [endpoint]);
    return rows.map(parkedEventOf);
  }
}
