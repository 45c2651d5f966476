import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { type Outcome, OUTCOMES } from './attempt.js';
import type { EndpointState } from './event-rows.js';
import { EventStore } from './event-store.js';
import { logFault } from './log-fault.js';
import type { Endpoint } from './webhooks-file.js';

/** The gauges of one endpoint. They are the same on every replica; attempts are those of this process. */
const GAUGES: Record<string, { help: string; valueOf: (state: EndpointState, endpoint: Endpoint) => number }> = {
  webhook_endpoint_behind_events: {
    help: 'Events that have not been delivered to the endpoint yet',
    valueOf: ({ behind }) => behind,
  },
  webhook_endpoint_oldest_seconds: {
    help: 'Age of the oldest event that has not been delivered, 0 without one',
    valueOf: ({ oldest }) => (oldest === undefined ? 0 : Math.max(0, (Date.now() - oldest) / 1_000)),
  },
  webhook_endpoint_failing_seconds: {
    help: 'Time since the first of the attempts that failed in a row, 0 after one that succeeded',
    valueOf: ({ progress: { failingFor = 0 } }) => failingFor / 1_000,
  },
  webhook_parked_events: {
    help: 'Events that the endpoint rejected permanently, or that were skipped',
    valueOf: ({ parked }) => parked,
  },
  webhook_endpoint_up: {
    help: 'Whether the endpoint accepts events: 1, 0 after a failure until an attempt succeeds, -1 after a 410',
    valueOf: ({ progress, endedUrl }, { url }) => {
      if (endedUrl === url) return -1;
      return progress.failures > 0 ? 0 : 1;
    },
  },
};

@Injectable()
export class EventMetrics {
  private readonly attempts: Counter<'endpoint' | 'outcome'>;
  private readonly eventsOn: Gauge;
  private readonly fileFaults: Gauge;
  private polledAt = performance.now();
  private readonly clockSetBacks: Counter;
  private known: readonly Endpoint[] = [];
  /** What several gauges that are read at once have in common. */
  private reading: Promise<readonly EndpointState[]> | undefined;

  /** @param registry gets the metrics */
  constructor(
    private readonly store: EventStore,
    registry: Registry,
  ) {
    this.attempts = new Counter({
      name: 'webhook_attempts_total',
      help: 'Delivery attempts, by outcome',
      labelNames: ['endpoint', 'outcome'],
      registers: [registry],
    });
    this.eventsOn = new Gauge({
      name: 'webhook_events_on',
      help: 'Whether bookings are noted for events, as of the last check, at most a minute ago',
      registers: [registry],
    });
    this.fileFaults = new Gauge({
      name: 'webhook_file_faults',
      help: 'Entries of the webhooks file that are not valid, and 1 if it cannot be used at all',
      registers: [registry],
    });
    const pollAge: Gauge = new Gauge({
      name: 'webhook_poll_age_seconds',
      help: 'Time since this process last looked for new events, which it does several times a second',
      registers: [registry],
      collect: () => pollAge.set((performance.now() - this.polledAt) / 1_000),
    });
    this.clockSetBacks = new Counter({
      name: 'webhook_clock_set_back_total',
      help: 'Endpoints that were delivered to at once because the clock of the database had gone back',
      registers: [registry],
    });
    for (const [name, { help, valueOf }] of Object.entries(GAUGES)) {
      const gauge = new Gauge<'endpoint'>({
        name,
        help,
        labelNames: ['endpoint'],
        registers: [registry],
        collect: async () => {
          const states = await this.read();
          gauge.reset();
          for (const [state, endpoint] of states) gauge.set({ endpoint: state.name }, valueOf(state, endpoint));
        },
      });
    }
  }

  /** The endpoints that are shown, from 0 attempts on: a rate does not see a counter that begins with its first event. */
  set endpoints(endpoints: readonly Endpoint[]) {
    for (const { name: endpoint } of this.known) {
      if (endpoints.some(({ name }) => name === endpoint)) continue;
      for (const outcome of OUTCOMES) this.attempts.remove({ endpoint, outcome });
    }
    this.known = endpoints;
    for (const { name: endpoint } of endpoints) {
      for (const outcome of OUTCOMES) this.attempts.inc({ endpoint, outcome }, 0);
    }
  }

  setEventsOn(isOn: boolean): void {
    this.eventsOn.set(isOn ? 1 : 0);
  }

  setFileFaults(faults: number): void {
    this.fileFaults.set(faults);
  }

  /** New events were looked for. */
  polled(): void {
    this.polledAt = performance.now();
  }

  count(endpoint: string, outcome: Outcome): void {
    if (this.known.some(({ name }) => name === endpoint)) this.attempts.inc({ endpoint, outcome });
  }

  countClockSetBack(): void {
    this.clockSetBacks.inc();
  }

  private async read(): Promise<[EndpointState, Endpoint][]> {
    // Without the database all other metrics are still shown.
    this.reading ??= this.store
      .states()
      .catch((error: unknown) => {
        logFault(error);
        return [];
      })
      .finally(() => (this.reading = undefined));
    const states = await this.reading;
    return states.flatMap((state) => {
      const endpoint = this.known.find(({ name }) => name === state.name);
      return endpoint === undefined ? [] : [[state, endpoint]];
    });
  }
}
