import { Client } from 'pg';
import { ServiceProcess } from 'testing';
import type { BookingsState, StateName } from './contract.js';

export interface ProviderOptions {
  /** Connection string of an empty database, as the owner of its tables. */
  database: string;
  /** Settings of the service. */
  settings?: Record<string, string>;
  /** Headers of every request, such as a token. */
  headers?: Record<string, string>;
}

/** Values of a state's booking, for the request of its interaction. */
interface Made {
  booking_id: string;
  etag: string;
}

/** The built service on PostgreSQL, whose bookings are replaced for each state. */
export class Provider {
  /** Why states could not be made. */
  readonly faults: string[] = [];
  /** Interactions whose state was made. */
  entered = 0;
  /** The id of the last event of the state. */
  eventId: string | undefined;

  private constructor(
    private readonly service: ServiceProcess,
    private readonly client: Client,
    private readonly headers: Record<string, string>,
  ) {}

  readonly stateHandlers = {
    '': () => this.enter({ bookings: [] }),
    'no bookings exist': () => this.enter({ bookings: [] }),
    'these bookings exist': (state: unknown) => this.enter(state as BookingsState),
    'these bookings were deleted': (state: unknown) => this.enter(state as BookingsState, { areDeleted: true }),
  } satisfies Record<StateName, unknown>;

  /** @throws Error with what the service printed, if it does not start */
  static async start({ database, settings, headers = {} }: ProviderOptions): Promise<Provider> {
    const service = await ServiceProcess.start({ ...settings, DATABASE_URL: database });
    const client = new Client({ connectionString: database });
    await client.connect();
    return new Provider(service, client, headers);
  }

  get url(): string {
    return this.service.url;
  }

  async stop(): Promise<void> {
    await this.client.end();
    await this.service.stop('SIGKILL');
  }

  /** Begins a state and returns its last booking. Pact's verifier goes on where a state fails. */
  private async enter({ bookings }: BookingsState, { areDeleted = false } = {}): Promise<Made | undefined> {
    try {
      await this.client.query('TRUNCATE bookings, webhook_deliveries');
      let last: Made | undefined;
      for (const { payload, idempotency_key: key } of bookings) last = await this.create(payload, key);
      if (areDeleted) await this.client.query('DELETE FROM bookings');
      this.eventId = last && `${areDeleted ? 'deleted' : 'created'}-${last.booking_id}`;
      this.entered += 1;
      return last;
    } catch (error) {
      this.faults.push(`A state could not be made: ${(error as Error).message}`);
      return undefined;
    }
  }

  private async create(payload: object, key: string | undefined): Promise<Made> {
    const response = await fetch(`${this.url}/v1/bookings`, {
      method: 'POST',
      headers: {
        ...this.headers,
        'Content-Type': 'application/json',
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      body: JSON.stringify(payload),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the create of a booking got ${response.status} ${text}`);
    return { ...(JSON.parse(text) as Made), etag: response.headers.get('etag') ?? '' };
  }
}
