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

/** What a booking that a state makes provides to the request of its interaction. */
interface Made {
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
    'no bookings exist': () => this.enter(async () => []),
    'these bookings exist': (state: unknown) => this.enter(() => this.createAll(state as BookingsState)),
    'these bookings were deleted': (state: unknown) =>
      this.enter(async () => {
        const made = await this.createAll(state as BookingsState);
        await this.deleteAll(made);
        return made;
      }),
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

  /** Begins a state and returns its last booking. Pact's verifier goes on where a state fails. */
  private async enter(make: () => Promise<Made[]>): Promise<Made | undefined> {
    try {
      await this.start();
      const made = await make();
      this.entered += 1;
      return made.at(-1);
    } catch (error) {
      this.faults.push(`A state could not be made: ${(error as Error).message}`);
      return undefined;
    }
  }

  private async createAll({ bookings }: BookingsState): Promise<Made[]> {
    const made: Made[] = [];
    for (const { payload, idempotency_key: key } of bookings) made.push(await this.create(payload, key));
    this.eventId = `created-${made.at(-1)!.booking_id}`;
    return made;
  }

  private async deleteAll(made: Made[]): Promise<void> {
    // In memory there is no deletion, and nothing else that a new process would not have.
    if (this.database === undefined) return this.start();
    const env = { DATABASE_URL: this.database };
    for (const { booking_id: id } of made)
      await promisify(execFile)(process.execPath, [programOf('cli/booking.js'), 'delete', id, '--yes'], { env });
    this.eventId = `deleted-${made.at(-1)!.booking_id}`;
  }

  private async create(payload: object, key: string | undefined): Promise<Made> {
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
    return { ...(JSON.parse(text) as Made), etag: response.headers.get('etag') ?? '' };
  }
}
