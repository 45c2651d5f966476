import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kept, type Made, PlainBookings } from './plain-bookings.js';
import { PlainService } from './plain-service.js';

export interface PlainEvent {
  headers: Record<string, string>;
  body: string;
}

export const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

/** Notifies an endpoint of every booking, one after the other. A faulty one overrides what it does wrong. */
export class NotifyingBookings extends PlainBookings {
  url = '';
  #delivering = Promise.resolve();

  override async create(...given: Parameters<PlainBookings['create']>): Promise<Made> {
    const made = await super.create(...given);
    if (!made.replayed) this.notify(made.kept);
    return made;
  }

  protected notify(kept: Kept): void {
    this.#delivering = this.#delivering.then(() => this.send(this.event(kept)));
  }

  protected async send(event: PlainEvent): Promise<void> {
    for (let attempts = 0; attempts < 20 && this.url !== '' && !(await this.post(event)); attempts++) await sleep(10);
  }

  /** @returns whether it is acknowledged */
  protected async post({ headers, body }: PlainEvent): Promise<boolean> {
    const timestamp = this.timestamp();
    const signature = this.signature(`${headers['webhook-id']}.${timestamp}.${body}`);
    const signed = { 'webhook-timestamp': timestamp, 'webhook-signature': signature, ...headers };
    return fetch(this.url, { method: 'POST', headers: signed, body }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  protected timestamp(): string {
    return `${Math.floor(Date.now() / 1_000)}`;
  }

  protected signature(signed: string): string {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  }

  protected event({ id, createdAt, json }: Kept): PlainEvent {
    const members = {
      specversion: '1.0',
      id: `created-${id}`,
      source: '/v1/bookings',
      type: 'bookings.booking.created',
      subject: id,
      time: createdAt,
      datacontenttype: 'application/json',
    };
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': members.id,
    };
    return { headers, body: `${JSON.stringify(members).slice(0, -1)},"data":${json}}` };
  }
}

/** A service with an endpoint. */
export class NotifyingService extends PlainService {
  constructor(override readonly bookings = new NotifyingBookings()) {
    super(bookings);
  }

  /** The URL of the endpoint. */
  set endpoint(url: string) {
    this.bookings.url = url;
  }

  override async stop(): Promise<void> {
    // No events are sent any more.
    this.endpoint = '';
    await super.stop();
  }
}
