import type { Connection } from './connection.js';
import { readBooking, readPage } from './reading.js';
import { Skipped } from './failure.js';
import { aResource, aSlot } from './inventions.js';

/** Bookings for the checks that only read: made by the run, or where it may not write those that are listed. */
export class Specimens {
  #ids: Promise<string[]> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly readOnly: boolean,
  ) {}

  /** @throws Skipped where only listed ones will do, and there are fewer; Failure where there should be some */
  async ids(count: number): Promise<string[]> {
    this.#ids ??= this.readOnly ? this.#listed() : this.#made();
    const ids = await this.#ids;
    if (ids.length >= count) return ids;
    throw new Skipped(`only ${ids.length} of ${count} bookings are there, and none may be made`);
  }

  async #listed(): Promise<string[]> {
    const response = await this.connection.send({ method: 'GET', target: '/v1/bookings?limit=3' });
    return readPage(response).bookings.map(({ booking_id }) => booking_id);
  }

  async #made(): Promise<string[]> {
    const ids: string[] = [];
    for (const payload of [{ slot: aSlot(aResource()) }, { slot: aSlot(aResource()) }, {}]) {
      const response = await this.connection.send({
        method: 'POST',
        target: '/v1/bookings',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
      });
      ids.push(readBooking(response).booking_id);
    }
    return ids;
  }
}
