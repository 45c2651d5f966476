/** Calls `work` `count` times at once. */
export function atOnce<Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}
