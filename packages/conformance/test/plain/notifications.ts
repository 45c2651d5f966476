import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kept } from './plain-bookings.js';

export interface Endpoint {
  readonly url: string;
  /** `whsec_` and Base64. */
  readonly secret: string;
}

/** Sends the event of each booking, one after the other, until it is acknowledged or the service stops. */
export class Notifications {
  #sending = Promise.resolve();
  #isStopped = false;

  constructor(private readonly endpoint: Endpoint) {}

  notify(kept: Kept): void {
    this.#sending = this.#sending.then(() => this.#send(kept));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #send(kept: Kept): Promise<void> {
    while (!this.#isStopped && !(await this.#isAcknowledged(kept))) await sleep(10);
  }

  async #isAcknowledged({ id: subject, createdAt: time, json }: Kept): Promise<boolean> {
    const id = `created-${subject}`;
    const type = 'bookings.booking.created';
    const attributes = { specversion: '1.0', id, source: '/v1/bookings', type, subject, time };
    const members = JSON.stringify({ ...attributes, datacontenttype: 'application/json' });
    const body = `${members.slice(0, -1)},"data":${json}}`;
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const key = Buffer.from(this.endpoint.secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    const response = await fetch(this.endpoint.url, { method: 'POST', headers, body }).catch(() => undefined);
    return response?.ok === true;
  }
}
