interface Series {
  /** How many durations are above the bound before and not above this one; the last has no bound. */
  readonly counts: number[];
  sum: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

/**
 * Durations by two labels, as a metric of a `prom-client` registry.
 *
 * Its own histogram hashes the labels and keeps its counts in an object whose names are decimal
 * fractions, which was a twelfth of the cost of a request (docs/performance.md). Here a request
 * takes two look-ups and three additions; the rest waits until somebody reads.
 */
export class DurationHistogram {
  readonly type = 'histogram';
  private readonly series = new Map<string, Map<string | number, Series>>();

  /**
   * @param labels the names of the two
   * @param bounds of the buckets in seconds, ascending
   */
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly labels: readonly [string, string],
    private readonly bounds: readonly number[],
  ) {}

  observe(first: string, second: string | number, seconds: number): void {
    const series = this.seriesOf(first, second);
    let bucket = 0;
    while (seconds > this.bounds[bucket]!) bucket++;
    series.counts[bucket]!++;
    series.sum += seconds;
  }

  /** How many durations there were with these two values. */
  countOf(first: string, second: string | number): number {
    return (
      this.series
        .get(first)
        ?.get(second)
        ?.counts.reduce((sum, count) => sum + count, 0) ?? 0
    );
  }

  /** Called by the registry. Buckets are cumulative there. */
  get() {
    const { name, help, type } = this;
    const [firstName, secondName] = this.labels;
    const values = [...this.series].flatMap(([first, bySecond]) =>
      [...bySecond].flatMap(([second, series]) => this.samplesOf({ [firstName]: first, [secondName]: second }, series)),
    );
    return Promise.resolve({ name, help, type, values });
  }

  private seriesOf(first: string, second: string | number): Series {
    let bySecond = this.series.get(first);
    if (bySecond === undefined) this.series.set(first, (bySecond = new Map()));
    let series = bySecond.get(second);
    if (series === undefined) {
      bySecond.set(second, (series = { counts: Array.from(this.bounds, () => 0).concat(0), sum: 0 }));
    }
    return series;
  }

  private samplesOf(labels: Sample['labels'], { counts, sum }: Series): Sample[] {
    let count = 0;
    const buckets = counts.map((own, index) => ({
      metricName: `${this.name}_bucket`,
      labels: { le: this.bounds[index] ?? '+Inf', ...labels },
      value: (count += own),
    }));
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
