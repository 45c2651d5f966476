import { ServiceProcess } from 'testing';
import type { StateHandlers } from './provider-states.js';

interface BookingsState {
  bookings?: { payload: object; idempotency_key?: string }[];
}

interface MadeBooking {
  booking_id: string;
  etag: string;
}

/**
 * The built service, to be put into the states that contracts name. Bookings never go away, so every state begins with
 * a new process, on the same port.
 */
export class BookingsProcess {
  private constructor(private service: ServiceProcess) {}

  static async start(): Promise<BookingsProcess> {
    return new BookingsProcess(await ServiceProcess.start());
  }

  readonly stateHandlers: StateHandlers = {
    'no bookings exist': () => this.restart(),
    'these bookings exist': (parameters) => this.restartWith(parameters as BookingsState),
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

  private async restartWith({ bookings = [] }: BookingsState): Promise<MadeBooking> {
    if (bookings.length === 0) throw new Error('it names no booking in `bookings`');
    await this.restart();
    const made: MadeBooking[] = [];
    for (const booking of bookings) made.push(await this.create(booking.payload, booking.idempotency_key));
    return made.at(-1)!;
  }

  private async create(payload: object, key: string | undefined): Promise<MadeBooking> {
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
