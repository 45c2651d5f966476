/** Random choices, repeatable with a seed. The scheduling of processes stays random. */
export class Random {
  constructor(private state: number) {}

  /** @returns a number from 0 to below 1 (mulberry32) */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

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

/** TORTURE_SEED, or a new seed. */
export function chooseSeed(): number {
  const given = process.env['TORTURE_SEED'];
  return given ? Number(given) : Math.floor(Math.random() * 2 ** 31);
}
