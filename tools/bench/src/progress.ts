const start = performance.now();

/** Says on standard error how far the run is; standard output is for the tables. */
export function say(line: string): void {
  const seconds = ((performance.now() - start) / 1_000).toFixed(0);
  process.stderr.write(`${seconds.padStart(5)} s  ${line}\n`);
}
