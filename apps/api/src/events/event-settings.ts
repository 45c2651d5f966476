import type { SenderSettings } from './webhook-sender.js';

export interface EventSettings extends SenderSettings {
  /** A JSON file with the endpoints, which is read again whenever it changes. */
  readonly file: string;
  /** Of all events of this service: a URI reference (CloudEvents, `source`). */
  readonly source: string;
  /** Milliseconds that attempts in flight may take when the service stops. */
  readonly shutdownTimeout: number;
}
