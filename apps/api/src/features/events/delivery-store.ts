import { Injectable } from '@nestjs/common';
import type { Slot } from '../../bookings/domain/booking.js';
import { Database } from '../../platform/database/database.js';
import * as sql from './delivery-statements.js';
import type { Endpoint } from './webhooks-file.js';

/** An event that this process is to send. */
export interface Delivery {
  readonly id: string;
  readonly bookingId: string;
  /** At this event, with the one that is due; after an outage of the endpoint from 1 on. */
  readonly attempts: number;
  /** Of the endpoint, in a row. */
  readonly failures: number;
  /** The booking; null where it is gone. */
  readonly json: string | null;
  /** Milliseconds since 1970; null for a creation. */
  readonly deletedAt: number | null;
  /** That a deletion leaves free; null for a creation, and without a slot. */
  readonly slot: Slot | null;
}

export interface EndpointState {
  readonly name: string;
  /** In a row. */
  readonly failures: number;
  /** Seconds until the next attempt, while it fails. */
  readonly pause: number;
  readonly endedUrl: string | null;
  readonly lastError: string | null;
  /** Whether it is in the file of a service that runs, or did two minutes ago. */
  readonly isUsed: boolean;
  /** Whether bookings from before are still to be recorded for it. */
  readonly isReplayed: boolean;
  readonly pending: number;
  readonly deadLetters: number;
  /** Seconds since the oldest pending event was recorded; 0 without one. */
  readonly age: number;
}

/** Why an attempt failed, and what follows. Times are in milliseconds. */
export interface Failure {
  readonly reason: string;
  /** Until the event is due again; without it, and after three days, it is a dead letter. */
  readonly pause?: number | undefined;
  /** Until the endpoint is tried again, if it failed too. */
  readonly endpointPause?: number | undefined;
  /** The URL, if it wants no more events. */
  readonly endedUrl?: string | undefined;
}

export interface Failed {
  readonly isDead: boolean;
  /** Of the endpoint, if this attempt is the one that counts. */
  readonly failures: number | null;
}

/** An endpoint that there is work for. */
export interface DueEndpoint {
  readonly name: string;
  /** Whether bookings are to be recorded for it with {@link DeliveryStore.replaySome}. */
  readonly isReplayed: boolean;
}

/** What is still to be delivered, in PostgreSQL, for any number of processes. Every method throws what {@link Database} throws. */
@Injectable()
export class DeliveryStore {
  constructor(private readonly database: Database) {}

  /** Records bookings for endpoints from now on, and marks these as used. Called about once a minute. */
  async register(endpoints: readonly Pick<Endpoint, 'name' | 'prefix' | 'from'>[]): Promise<void> {
    const names = endpoints.map(({ name }) => name);
    const prefixes = endpoints.map(({ prefix }) => prefix);
    await this.database.write(sql.REGISTER, [names, prefixes, endpoints.map(({ from }) => from === 'first')]);
    await this.database.write(sql.MAINTAIN, [names]);
    await this.database.write(sql.SWEEP);
  }

  /** @param isThorough whether also what was due more than ten seconds ago is looked for */
  async findDue(endpoints: readonly Pick<Endpoint, 'name' | 'url'>[], isThorough: boolean): Promise<DueEndpoint[]> {
    const values = [endpoints.map(({ name }) => name), endpoints.map(({ url }) => url), isThorough];
    return (await this.database.run<DueEndpoint>(sql.FIND_DUE, values)).rows;
  }

  /**
   * Records some of the bookings from before for an endpoint, unless many events wait for it already.
   *
   * @returns whether there may be more
   */
  async replaySome(name: string): Promise<boolean> {
    return (await this.database.write(sql.REPLAY, [name])).rowCount === 1;
  }

  /**
   * @param acknowledged ids of deliveries, which are deleted
   * @param places how many to claim, at most
   * @param claimTime milliseconds for which they are this process's to send; longer than an attempt takes
   */
  async claim(
    { name, url }: Pick<Endpoint, 'name' | 'url'>,
    acknowledged: readonly string[],
    places: number,
    claimTime: number,
    isThorough: boolean,
  ): Promise<Delivery[]> {
    const values = [name, url, acknowledged, places, claimTime, isThorough];
    return (await this.database.write<Delivery>(sql.CLAIM, values)).rows;
  }

  /** Records that an attempt failed. */
  async fail({ id, failures }: Delivery, { name }: Pick<Endpoint, 'name'>, failure: Failure): Promise<Failed> {
    const { reason, pause = null, endpointPause = null, endedUrl = null } = failure;
    const values = [id, pause, reason, endpointPause, endedUrl, name, failures];
    const { rows } = await this.database.write<Failed>(sql.FAIL, values);
    return rows[0] ?? { isDead: false, failures: null };
  }

  /** @returns whether it had failed */
  async recover(name: string, failures: number): Promise<boolean> {
    return (await this.database.write(sql.RECOVER, [name, failures])).rowCount === 1;
  }

  async states(): Promise<EndpointState[]> {
    return (await this.database.run<EndpointState>(sql.STATES)).rows;
  }
}
