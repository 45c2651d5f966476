import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DatabaseUnavailable } from '../database/postgres-errors.js';
import { createdAtOf } from '../bookings/booking.js';
import type { BookingCreated } from './event.js';
import {
  type Batch,
  type Claimed,
  type EndpointState,
  EventStore,
  type EventsToDo,
  LEASE,
  MAX_EVENTS,
  type ParkedEvent,
  type Progress,
  type Saved,
  type StartOfEvents,
} from './event-store.js';
import {
  CLAIM,
  eventOf,
  type EventRow,
  MAX_FILTERED,
  MAX_NUMBERED,
  NUMBER,
  PARK,
  progressOf,
  type ProgressRow,
  READ,
  READ_FILTERED,
  READ_PARKED,
  REGISTER,
  SAVE,
  type ScannedRow,
  STATES,
  TO_DO,
} from './event-statements.js';

/** The tables of `migrations/0005_booking_events.sql`, for any number of replicas. */
@Injectable()
export class PostgresEventStore extends EventStore {
  constructor(private readonly database: Database) {
    super();
  }

  override isAway(error: unknown): boolean {
    return error instanceof DatabaseUnavailable;
  }

  override async switchOn(): Promise<boolean> {
    const { rows } = await this.database.run<{ on: boolean }>({ text: 'SELECT events_are_on() AS on' });
    if (rows[0]!.on) return false;
    const switched = await this.database.write<{ done: boolean }>({ text: 'SELECT switch_events_on() AS done' });
    return switched.rows[0]!.done;
  }

  /** @returns whether bookings were noted before */
  async switchOff(): Promise<boolean> {
    const { rows } = await this.database.write<{ done: boolean }>({ text: 'SELECT switch_events_off() AS done' });
    return rows[0]!.done;
  }

  override async register(endpoint: string, start: StartOfEvents): Promise<void> {
    await this.database.write(REGISTER, [endpoint, start === 'first']);
  }

  override async number(): Promise<boolean> {
    const { rows } = await this.database.write<{ looked_at: number | null }>(NUMBER);
    return (rows[0]!.looked_at ?? 0) >= MAX_NUMBERED;
  }

  override async toDo(): Promise<EventsToDo> {
    const { rows } = await this.database.run<{ unnumbered: boolean; endpoints: string[] }>(TO_DO);
    return { isUnnumbered: rows[0]!.unnumbered, endpoints: rows[0]!.endpoints };
  }

  override async claim(endpoint: string, owner: string, url: string): Promise<Claimed | undefined> {
    const values = [endpoint, owner, url];
    const { rows } = await this.database.write<ProgressRow & { has_parked: boolean }>(CLAIM, values);
    return rows[0] && { ...progressOf(rows[0]), hasParked: rows[0].has_parked };
  }

  override async save(endpoint: string, owner: string, saved: Saved): Promise<boolean> {
    const { delivered, previous, ahead, attempts, failingSince, pause, endedUrl, isReleased } = saved;
    const { rowCount } = await this.database.write(SAVE, [
      endpoint,
      owner,
      delivered,
      previous,
      ahead,
      attempts,
      failingSince,
      pause,
      endedUrl,
      isReleased ? 0 : LEASE,
    ]);
    return rowCount === 1;
  }

  override async read(endpoint: string, progress: Progress, prefix: string): Promise<Batch> {
    const { delivered, previous, ahead } = progress;
    const isFiltered = prefix !== '';
    const most = isFiltered ? MAX_FILTERED : MAX_EVENTS;
    const values = [endpoint, delivered, previous, ...(isFiltered ? [prefix] : [])];
    const { rows } = await this.database.run<ScannedRow>(isFiltered ? READ_FILTERED : READ, values);
    const { scanned, scanned_to, matches } = rows[0]!;
    const found = rows.filter((row) => row.sequence !== null);
    const all = found.map(eventOf);
    const last = all.at(-1);
    const isCut = all.length < Number(matches ?? 0);
    const events = all.filter(({ sequence }, index) => !found[index]!.parked && !ahead.includes(sequence));
    const upTo = isCut ? last!.sequence : Number(scanned_to ?? delivered);
    return {
      events,
      upTo: { delivered: upTo, previous: last?.sequence ?? previous },
      isFull: isCut || Number(scanned) === most,
    };
  }

  override async readParked(endpoint: string): Promise<readonly BookingCreated[]> {
    const { rows } = await this.database.run<EventRow>(READ_PARKED, [endpoint]);
    return rows.map(eventOf);
  }

  override async park(
    endpoint: string,
    { sequence, previous }: Pick<BookingCreated, 'sequence' | 'previous'>,
    reason: string,
  ): Promise<void> {
    await this.database.write(PARK, [endpoint, sequence, previous, reason]);
  }

  override async unpark(endpoint: string, sequence: number): Promise<void> {
    const text = 'DELETE FROM webhook_parked WHERE endpoint = $1 AND sequence = $2';
    await this.database.write({ text }, [endpoint, sequence]);
  }

  override async retry(endpoint: string, sequence?: number): Promise<number> {
    const text = 'UPDATE webhook_parked SET is_due = true WHERE endpoint = $1 AND sequence = coalesce($2, sequence)';
    const { rowCount } = await this.database.write({ text }, [endpoint, sequence]);
    return rowCount ?? 0;
  }

  override async wake(endpoint: string): Promise<boolean> {
    const text = `UPDATE webhook_endpoints SET due = '-infinity', ended_url = NULL WHERE name = $1`;
    const { rowCount } = await this.database.write({ text }, [endpoint]);
    return rowCount === 1;
  }

  override async states(): Promise<readonly EndpointState[]> {
    const { rows } = await this.database.run<
      ProgressRow &
        Record<'name' | 'behind' | 'parked' | 'pause', string> &
        Record<'oldest' | 'ended_url', string | null>
    >(STATES);
    return rows.map((row) => ({
      name: row.name,
      progress: progressOf(row),
      behind: Number(row.behind),
      oldest: row.oldest === null ? undefined : createdAtOf(row.oldest),
      parked: Number(row.parked),
      pause: Number(row.pause),
      endedUrl: row.ended_url ?? undefined,
    }));
  }

  override async parked(endpoint: string): Promise<readonly ParkedEvent[]> {
    const text = `SELECT sequence, booking_id, reason, extract(epoch FROM parked_at) * 1000 AS parked_at, is_due
      FROM webhook_parked JOIN booking_events USING (sequence) WHERE endpoint = $1 ORDER BY sequence LIMIT 1000`;
    const { rows } = await this.database.run<
      Record<'sequence' | 'booking_id' | 'reason' | 'parked_at', string> & { is_due: boolean }
    >({ text }, [endpoint]);
    return rows.map(({ sequence, booking_id, reason, parked_at, is_due }) => ({
      sequence: Number(sequence),
      bookingId: booking_id,
      reason,
      parkedAt: Number(parked_at),
      isDue: is_due,
    }));
  }
}
