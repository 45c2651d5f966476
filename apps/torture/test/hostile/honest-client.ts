import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BookingDto } from '@booking-service/contracts';
import { type RawRequest, send } from 'testing/raw-http';

/** A client that sends valid requests, one after the other, until it is stopped. */
export class HonestClient {
  /** Milliseconds of every request. */
  readonly durations: number[] = [];
  readonly bookingIds: string[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private isStopped = false;
  private readonly running: Promise<void>;

  constructor(private readonly url: string) {
    this.running = this.run();
    // `stop` awaits it; until then a failure must not end the process.
    this.running.catch(() => {});
  }

  /** Resolves after the last request; rejects when one had not the response that it must have. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    this.agent.destroy();
  }

  private async run(): Promise<void> {
    for (let round = 0; !this.isStopped; round++) {
      const key = `"honest-${round}"`;
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
      const create = { method: 'POST', target: '/v1/bookings', headers, body: JSON.stringify({ honest: key }) };
      const booked = await this.request(201, create);
      const { booking_id } = JSON.parse(booked) as BookingDto;
      this.bookingIds.push(booking_id);
      expect(await this.request(201, create)).toBe(booked);
      expect(await this.request(200, { target: `/v1/bookings/${booking_id}` })).toBe(booked);
      await this.request(200, { target: '/v1/bookings?limit=5' });
      await sleep(10);
    }
  }

  private async request(status: number, request: RawRequest): Promise<string> {
    const start = performance.now();
    const response = await send(this.url, { ...request, agent: this.agent });
    this.durations.push(performance.now() - start);
    expect(response.status).toBe(status);
    return response.text;
  }
}
