import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programOf, ServiceProcess } from 'testing';
import type { BookingsState, StateName } from './contract.js';

export interface ProviderOptions {
  /** Returns the connection string of a new database; without it, bookings are kept in memory. */
  createDatabase?: () => Promise<string>;
  /** Settings of the service. */
  settings?: Record<string, string>;
  /** Headers of every request, such as a token. */
  headers?: Record<string, string>;
}

/** What a state provides to the requests of its interaction. */
interface LastBooking {
  booking_id: string;
  etag: string;
}

/** The built service. No operation removes bookings, so each state begins with a new process, on the same port. */
export class Provider {
  /** Why states could not be made. */
  readonly faults: string[] = [];
  /** Interactions whose state was made. */
  entered = 0;
  /** The id of the last event of the state. */
  eventId: string | undefined;
  private service: ServiceProcess | undefined;
  private database: string | undefined;

  constructor(private readonly options: ProviderOptions) {}

  readonly stateHandlers = {
    'no bookings exist': () => this.enter(async () => {}),
    'these bookings exist': (state: unknown) => this.enter(() => this.createAll(state as BookingsState)),
    'these bookings were deleted': (state: unknown) => this.enter(() => this.createAndDelete(state as BookingsState)),
  } satisfies Record<StateName, unknown>;

  get url(): string {
    return this.service!.url;
  }

  /** Starts the service anew, without bookings. @throws Error with what it printed, if it does not start */
  async start(): Promise<void> {
    const port = this.service === undefined ? '0' : new URL(this.url).port;
    await this.stop();
    this.eventId = undefined;
    this.database = await this.options.createDatabase?.();
    const { database, options } = this;
    const env = { PORT: port, ...options.settings, ...(database !== undefined && { DATABASE_URL: database }) };
    this.service = await ServiceProcess.start(env);
  }

  async stop(): Promise<void> {
    await this.service?.stop('SIGKILL');
  }

  /** Pact's verifier goes on where a state fails. */
  private async enter(make: () => Promise<LastBooking | void>): Promise<LastBooking | void> {
    try {
      await this.start();
      const last = await make();
      this.entered += 1;
      return last;
    } catch (error) {
      this.faults.push(`A state could not be made: ${(error as Error).message}`);
    }
  }

  private async createAll({ bookings }: BookingsState): Promise<LastBooking> {
    let last: LastBooking | undefined;
    for (const { payload, idempotency_key: key } of bookings) {
      last = await this.create(payload, key);
      this.eventId = `created-${last.booking_id}`;
    }
    return last!;
  }

  private async createAndDelete(state: BookingsState): Promise<LastBooking> {
    const last = await this.createAll(state);
    if (this.database === undefined) {
      await this.start();
      return last;
    }
    const env = { DATABASE_URL: this.database };
    const response = await fetch(`${this.url}/v1/bookings?limit=100`, { headers: this.options.headers ?? {} });
    const { bookings } = (await response.json()) as { bookings: LastBooking[] };
    for (const { booking_id: id } of bookings.toReversed()) {
      await promisify(execFile)(process.execPath, [programOf('cli/booking.js'), 'delete', id, '--yes'], { env });
    }
    this.eventId = `deleted-${last.booking_id}`;
    return last;
  }

  private async create(payload: object, key: string | undefined): Promise<LastBooking> {
    const response = await fetch(`${this.url}/v1/bookings`, {
      method: 'POST',
      headers: {
        ...this.options.headers,
        'Content-Type': 'application/json',
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      body: JSON.stringify(payload),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`the create of a booking got ${response.status} ${text}`);
    return { ...(JSON.parse(text) as LastBooking), etag: response.headers.get('etag') ?? '' };
  }
}
