import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { DeliveryStore, type EndpointState } from './delivery-store.js';
import { OUTCOMES } from './webhook-sender.js';
import type { Endpoint } from './webhooks-file.js';

/** Gauges of {@link EndpointState}. An endpoint removed from the file keeps its gauges until it is forgotten. */
const GAUGES = [
  ['webhook_pending_events', 'pending', 'Undelivered events of the endpoint, without dead letters, 10,000 at most'],
  ['webhook_oldest_event_seconds', 'age', 'Seconds since the oldest was recorded, first tried or retried; 0 if none'],
  ['webhook_dead_letters', 'deadLetters', 'Events that the endpoint did not accept within three days, 10,000 at most'],
] as const;

@Injectable()
export class EventMetrics {
  readonly attempts: Counter<'endpoint' | 'outcome'>;
  /** Undefined without a file: then a scrape reads nothing. */
  private known: readonly Endpoint[] | undefined;
  /** One read serves all gauges of a scrape. */
  private reading: Promise<readonly EndpointState[]> | undefined;

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
    for (const [name, member, help] of GAUGES) this.addGauge(registers, name, help, (state) => state[member]);
    const help = 'Whether the endpoint accepts events: 1, 0 after a failure until an attempt succeeds, -1 after a 410';
    this.addGauge(registers, 'webhook_endpoint_up', help, ({ name, failures, endedUrl }) => {
      if (this.known?.some((endpoint) => endpoint.name === name && endpoint.url === endedUrl)) return -1;
      return failures > 0 ? 0 : 1;
    });
  }

  /** Starts counters at 0: `rate()` does not see the first increment of a new counter. */
  track(endpoints: readonly Endpoint[]): void {
    this.known = endpoints;
    for (const { name: endpoint } of endpoints) {
      for (const outcome of OUTCOMES) this.attempts.inc({ endpoint, outcome }, 0);
    }
  }

  private addGauge(registers: Registry[], name: string, help: string, valueOf: (state: EndpointState) => number): void {
    const collect = async (): Promise<void> => {
      const states = this.known === undefined ? [] : await this.read();
      gauge.reset();
      for (const state of states) gauge.set({ endpoint: state.name }, valueOf(state));
    };
    const gauge: Gauge<'endpoint'> = new Gauge({ name, help, labelNames: ['endpoint'], registers, collect });
  }

  private read(): Promise<readonly EndpointState[]> {
    // A scrape still shows all other metrics while the database is down.
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
