/** Instants are in UTC (RFC 3339). @typedef {{ from: string, until: string, guest: string }} Stay */

export class BookingService {
  /** @param {string} url of the service, without a trailing slash */
  constructor(url) {
    this.url = url;
  }

  /**
   * The first screen of a day's stays, in the order of arrival.
   *
   * @param {string} room
   * @param {string} day `YYYY-MM-DD`, in UTC
   */
  staysOn(room, day, perScreen = 20) {
    const from = `${day}T00:00:00Z`;
    const to = new Date(Date.parse(from) + 86_400_000).toISOString();
    const query = new URLSearchParams({ resource_id: room, from, to, limit: String(perScreen) });
    return this.screenAt(`/v1/bookings?${query.toString()}`);
  }

  /**
   * @param {string} path `next` of the previous screen
   * @returns {Promise<{ stays: Stay[], next: string | undefined }>} without a `next` on the last screen
   */
  async screenAt(path) {
    const response = await fetch(this.url + path);
    if (response.status !== 200) throw await unexpected(response);
    const { bookings } = /** @type {ListOfBookings} */ (await response.json());
    const stays = bookings.map(({ slot, guest }) => ({ from: slot.start, until: slot.end, guest }));
    return { stays, next: nextPage(response.headers.get('link')) };
  }

  /**
   * @param {string} room
   * @param {Stay} stay
   * @param {string} formId of the form, which books once, however often it is sent
   * @returns {Promise<string | undefined>} the number of the booking; undefined if the room is taken
   */
  async book(room, { from, until, guest }, formId) {
    const response = await fetch(`${this.url}/v1/bookings`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': formId },
      body: JSON.stringify({ slot: { resource_id: room, start: from, end: until }, guest }),
    });
    if (response.status === 409) return undefined;
    if (response.status !== 201) throw await unexpected(response);
    return /** @type {{ booking_id: string }} */ (await response.json()).booking_id;
  }
}

/** @typedef {{ bookings: { slot: { start: string, end: string }, guest: string }[] }} ListOfBookings */

/** @param {string | null} link as in RFC 8288 */
function nextPage(link) {
  return /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1];
}

/** @param {Response} response */
async function unexpected(response) {
  return new Error(`The booking service responded with ${response.status}: ${await response.text()}`);
}
