import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BookingDto } from '@booking-service/contracts';
import { type RawRequest, send } from 'testing/raw-http';

/** Milliseconds between two rounds of requests. */
const PAUSE = 10;

/** A client that sends valid requests, one after the other, until it is stopped. */
export class HonestClient {
  /** Milliseconds of every request, in the order in which they were sent. */
  readonly durations: number[] = [];
  /** The ids of its bookings. */
  readonly booked: string[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private isStopped = false;
  private readonly running: Promise<void>;

  constructor(private readonly url: string) {
    this.running = this.run();
    // `stop` awaits it; until then a failure must not end the process.
    this.running.catch(() => {});
  }

  /** Resolves after its last request; rejects when one had not the response that it must have. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    this.agent.destroy();
  }

  /** Milliseconds that 99 of 100 requests took at most. */
  get p99(): number {
    return this.durations.toSorted((a, b) => a - b)[Math.floor(this.durations.length * 0.99)]!;
  }

  private async run(): Promise<void> {
    for (let round = 0; !this.isStopped; round++) {
      const key = `"honest-${round}"`;
      const booking = JSON.parse(await this.create(key)) as BookingDto;
      this.booked.push(booking.booking_id);
      expect(JSON.parse(await this.create(key))).toEqual(booking);
      expect(JSON.parse(await this.request(200, { target: `/v1/bookings/${booking.booking_id}` }))).toEqual(booking);
      await this.request(200, { target: '/v1/bookings?limit=5' });
      await sleep(PAUSE);
    }
  }

  private create(key: string): Promise<string> {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const body = JSON.stringify({ honest: key });
    return this.request(201, { method: 'POST', target: '/v1/bookings', headers, body });
  }

  private async request(status: number, request: RawRequest): Promise<string> {
    const start = performance.now();
    const response = await send(this.url, { ...request, agent: this.agent });
    this.durations.push(performance.now() - start);
    expect(response.status).toBe(status);
    return response.text;
  }
}
