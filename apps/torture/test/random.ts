/** Random choices that a seed repeats. What the processes make of them also depends on how they are scheduled. */
export class Random {
  constructor(private state: number) {}

  /** A number from 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}

/** The seed of this run: TORTURE_SEED, or a new one. */
export function chooseSeed(): number {
  const given = process.env['TORTURE_SEED'];
  return given ? Number(given) : Math.floor(Math.random() * 2 ** 31);
}
