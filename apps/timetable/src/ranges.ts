/** A half-open range of instants. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Cuts a range at multiples of a length from an origin. */
export function cut({ start, end }: Range, length: number, origin: number): Range[] {
  const parts: Range[] = [];
  for (let from = start; from < end;) {
    const next = Math.round(origin + (Math.floor((from - origin) / length) + 1) * length);
    parts.push({ start: from, end: Math.min(end, next) });
    from = next;
  }
  return parts;
}

/** A set of instants, as ranges that neither overlap nor touch. */
export class Ranges {
  #ranges: Range[] = [];

  /** @returns whether any instant is new */
  add(start: number, end: number): boolean {
    if (start >= end || this.gaps(start, end).length === 0) return false;
    const joined = this.#ranges.filter((range) => range.start <= end && range.end >= start);
    const others = this.#ranges.filter((range) => range.start > end || range.end < start);
    const whole = {
      start: Math.min(start, ...joined.map((range) => range.start)),
      end: Math.max(end, ...joined.map((range) => range.end)),
    };
    this.#ranges = [...others, whole].toSorted((a, b) => a.start - b.start);
    return true;
  }

  /** The parts of `[start, end)` that are not in the set, in order. */
  gaps(start: number, end: number): Range[] {
    const gaps: Range[] = [];
    let from = start;
    for (const range of this.#ranges) {
      if (range.end <= from || range.start >= end) continue;
      if (range.start > from) gaps.push({ start: from, end: range.start });
      from = range.end;
    }
    if (from < end) gaps.push({ start: from, end });
    return gaps;
  }

  clear(): void {
    this.#ranges = [];
  }
}
