import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { DeliveryStore, type EndpointState } from './delivery-store.js';
import { OUTCOMES } from './webhook-sender.js';
import type { Endpoint } from './webhooks-file.js';

/** The gauges of one endpoint, the same on every replica. One that has left the file is shown until it is forgotten. */
const GAUGES: readonly [name: string, help: string, valueOf: (state: EndpointState, url?: string) => number][] = [
  [
    'webhook_pending_events',
    'Events that are still to be delivered to the endpoint, without dead letters, 100,000 at most',
    ({ pending }) => pending,
  ],
  [
    'webhook_oldest_event_seconds',
    'Seconds since the oldest pending event was recorded, or first attempted; 0 without one',
    ({ age }) => age,
  ],
  [
    'webhook_dead_letters',
    'Events that the endpoint did not accept within three days, 100,000 at most',
    ({ deadLetters }) => deadLetters,
  ],
  [
    'webhook_endpoint_up',
    'Whether the endpoint accepts events: 1, 0 after a failure until an attempt succeeds, -1 after a 410',
    ({ failures, endedUrl }, url) => {
      if (endedUrl === url) return -1;
      return failures > 0 ? 0 : 1;
    },
  ],
];

@Injectable()
export class EventMetrics {
  readonly attempts: Counter<'endpoint' | 'outcome'>;
  readonly fileValid: Gauge;
  private known: readonly Endpoint[] = [];
  /** What several gauges that are read at once have in common. */
  private reading: Promise<readonly EndpointState[]> | undefined;

  /** @param registry gets the metrics */
  constructor(
    private readonly store: DeliveryStore,
    registry: Registry,
  ) {
    const registers = [registry];
    this.attempts = new Counter({
      name: 'webhook_attempts_total',
      help: 'Delivery attempts, by outcome',
      labelNames: ['endpoint', 'outcome'],
      registers,
    });
    this.fileValid = new Gauge({
      name: 'webhook_file_valid',
      help: 'Whether the webhooks file is valid; if not, its last valid form is in use',
      registers,
    });
    for (const [name, help, valueOf] of GAUGES) {
      const gauge = new Gauge<'endpoint'>({
        name,
        help,
        labelNames: ['endpoint'],
        registers,
        collect: async () => {
          const states = await this.read();
          gauge.reset();
          for (const state of states) {
            const url = this.known.find(({ name }) => name === state.name)?.url;
            gauge.set({ endpoint: state.name }, valueOf(state, url));
          }
        },
      });
    }
  }

  /** The endpoints of the file, with attempts from 0 on: a rate does not see a counter that begins with its first event. */
  set endpoints(endpoints: readonly Endpoint[]) {
    this.known = endpoints;
    for (const { name: endpoint } of endpoints) {
      for (const outcome of OUTCOMES) this.attempts.inc({ endpoint, outcome }, 0);
    }
  }

  private read(): Promise<readonly EndpointState[]> {
    // Without the database all other metrics are still shown.
    this.reading ??= this.store
      .states()
      .catch((error: unknown) => {
        this.store.report(error);
        return [];
      })
      .finally(() => (this.reading = undefined));
    return this.reading;
  }
}
