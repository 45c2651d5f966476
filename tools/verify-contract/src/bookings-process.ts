import { ServiceProcess } from 'testing';
import type { BookingsState, StateHandlers } from './provider-states.js';

interface MadeBooking {
  booking_id: string;
  etag: string;
}

/**
 * The built service, to be put into the states that contracts name. No operation removes bookings, so every state begins
 * with a new process, on the same port.
 */
export class BookingsProcess {
  private constructor(private service: ServiceProcess) {}

  /** @param settings of the first process, and of no other */
  static async start(settings: Record<string, string> = {}): Promise<BookingsProcess> {
    return new BookingsProcess(await ServiceProcess.start(settings));
  }

  readonly stateHandlers: StateHandlers = {
    'no bookings exist': () => this.restart(),
    'these bookings exist': (state) => this.restartWith(state),
    'these bookings were deleted': async (state) => {
      const last = await this.restartWith(state);
      // The store is in memory.
      await this.restart();
      return last;
    },
  };

  get url(): string {
    return this.service.url;
  }

  async stop(): Promise<void> {
    await this.service.stop('SIGKILL');
  }

  private async restart(): Promise<void> {
    const { port } = new URL(this.url);
    await this.stop();
    this.service = await ServiceProcess.start({ PORT: port });
  }

  private async restartWith(state: BookingsState): Promise<MadeBooking> {
    await this.restart();
    return (await this.create(state)).at(-1)!;
  }

  /** Creates the bookings of a state, one after the other. */
  async create({ bookings }: BookingsState): Promise<MadeBooking[]> {
    const made: MadeBooking[] = [];
    for (const { payload, idempotency_key: key } of bookings) made.push(await this.createOne(payload, key));
    return made;
  }

  private async createOne(payload: object, key: string | undefined): Promise<MadeBooking> {
    const response = await fetch(`${this.url}/v1/bookings`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) },
      body: JSON.stringify(payload),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`the create of a booking got ${response.status} ${text}`);
    const { booking_id } = JSON.parse(text) as { booking_id: string };
    return { booking_id, etag: response.headers.get('etag') ?? '' };
  }
}
