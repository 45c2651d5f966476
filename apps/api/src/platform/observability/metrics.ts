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

  /** Adds a gauge. @param read called for each scrape */
  watch(name: string, help: string, read: () => number | Promise<number>): void {
    const collect = async (): Promise<void> => gauge.set(await read());
    const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect });
  }
}
