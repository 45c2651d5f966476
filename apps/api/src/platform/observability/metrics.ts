import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The metrics of one application and its process. Each part of the service adds its own. */
export class Metrics {
  readonly registry = new Registry();

  /** Labelled with the setting that names the file. */
  readonly validFiles = new Gauge({
    name: 'settings_file_valid',
    help: 'Whether the file of the setting is valid; if not, its last valid form is in use',
    labelNames: ['setting'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Adds a gauge. @param read called for each scrape; if it returns undefined, the gauge is left out */
  watch(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        const value = await read();
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      },
    });
  }
}
