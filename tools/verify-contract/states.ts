import type { TestDatabase } from 'testing';
import * as z from 'zod';
import type { Interaction } from './contract.js';

const booking = z.strictObject({ payload: z.record(z.string(), z.unknown()), idempotency_key: z.string().optional() });
const parameters = z.strictObject({ bookings: z.array(booking).min(1) });
type Bookings = z.output<typeof parameters>['bookings'];

const NAMES = ['no bookings exist', 'these bookings exist', 'these bookings were deleted'];

/** Sets up the state of each interaction, by replacing the bookings of the service. */
export class States {
  /** The number of interactions that were begun. */
  begun = 0;
  /** The reasons why states could not be set up, each with the state's name. */
  private readonly faults: { readonly state: string; readonly reason: string }[] = [];
  /** The reason why the interaction that was begun last is not in its state. */
  fault: string | undefined;
  /** The id of the last event that the state causes; undefined if it causes none. */
  eventId: string | undefined;
  private entered: string | undefined;

  constructor(
    private readonly serviceUrl: string,
    private readonly database: Pick<TestDatabase, 'query'>,
  ) {}

  beginInteraction(): void {
    this.begun += 1;
    this.fault = undefined;
    this.entered = undefined;
  }

  /**
   * @param name empty if the interaction names no state: then there are no bookings
   * @returns values of the last booking, which the interaction's request may contain
   */
  async enter(name: string, given: unknown) {
    try {
      if (this.entered !== undefined) throw new Error('An interaction can name one state, not several.');
      this.entered = name;
      return await this.setUp(name, given);
    } catch (error) {
      this.fault = (error as Error).message;
      this.faults.push({ state: name, reason: this.fault });
      throw error;
    }
  }

  /** The reasons why states could not be set up, but for states that only pending interactions name. */
  faultsOf(interactions: readonly Interaction[]): string[] {
    const named = (isPending: boolean): Set<string> => {
      const some = interactions.filter(({ pending }) => pending === isPending);
      return new Set(some.flatMap(({ providerStates }) => providerStates.map(({ name }) => name)));
    };
    const ofPending = named(true);
    const ofOthers = named(false);
    const counts = (state: string): boolean => !ofPending.has(state) || ofOthers.has(state);
    return this.faults.filter(({ state }) => counts(state)).map(({ reason }) => reason);
  }

  private async setUp(name: string, given: unknown) {
    if (name !== '' && !NAMES.includes(name)) {
      throw new Error(`There is no state "${name}". The states are: ${NAMES.join(', ')}.`);
    }
    const bookings = name.startsWith('these bookings') ? bookingsOf(given) : [];
    const event = name === 'these bookings were deleted' ? 'deleted' : 'created';
    await this.database.query('TRUNCATE bookings, webhook_deliveries');
    let values = { booking_id: '', etag: '' };
    for (const { payload, idempotency_key } of bookings) values = await this.create(payload, idempotency_key);
    if (event === 'deleted') await this.database.query('DELETE FROM bookings');
    this.eventId = bookings.length === 0 ? undefined : `${event}-${values.booking_id}`;
    return values;
  }

  /** Creates a booking. Any successful response will do: judging it is up to the contract. */
  private async create(payload: object, key: string | undefined) {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (key !== undefined) headers['Idempotency-Key'] = key;
    const body = JSON.stringify(payload);
    const response = await fetch(`${this.serviceUrl}/v1/bookings`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`The service rejects the booking ${body} of the state: ${text}`);
    const { booking_id = '' } = JSON.parse(text) as { booking_id?: string };
    return { booking_id, etag: response.headers.get('etag') ?? '' };
  }
}

function bookingsOf(given: unknown): Bookings {
  const { data, error } = parameters.safeParse(given);
  if (error !== undefined) throw new Error(`The parameters of the state are wrong:\n${z.prettifyError(error)}`);
  return data.bookings;
}
