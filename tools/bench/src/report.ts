import { type Operation, OPERATIONS } from './load.js';

/** Microseconds of CPU per request. */
export interface Cost {
  readonly server: number;
  /** 0 without one. */
  readonly database: number;
}

export type Results = ReadonlyMap<string, Partial<Record<Operation, readonly Cost[]>>>;

/** What is compared, where both were measured. */
const RATIOS = [
  ['memory', 'bare'],
  ['memory', 'nest-fastify-equal'],
  ['memory', 'memory-before'],
  ['postgres', 'bare-pg'],
  ['postgres', 'postgres-before'],
] as const;

const operations = Object.keys(OPERATIONS) as Operation[];

/** A table of medians over the rounds, and of their ratios. */
export function toMarkdown(results: Results): string {
  const median = (name: string, operation: Operation, part: keyof Cost) => {
    const sorted = (results.get(name)?.[operation] ?? [])
      .map((cost) => cost[part])
      .toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  const cell = (digits: number, valueOf: (part: keyof Cost) => number) => {
    const [server, database] = [valueOf('server'), valueOf('database')];
    return database > 0 ? `${server.toFixed(digits)} + ${database.toFixed(digits)}` : server.toFixed(digits);
  };
  const row = (title: string, cells: readonly string[]) => `| ${[title, ...cells].join(' | ')} |\n`;
  const costs = [...results.keys()].map((name) =>
    row(
      name,
      operations.map((operation) => cell(1, (part) => median(name, operation, part))),
    ),
  );
  const ratios = RATIOS.filter(([name, other]) => results.has(name) && results.has(other)).map(([name, other]) =>
    row(
      `${name} / ${other}`,
      operations.map((operation) => cell(2, (part) => median(name, operation, part) / median(other, operation, part))),
    ),
  );
  const head = row(
    'µs of CPU per request: server + database',
    operations.map((operation) => OPERATIONS[operation].title),
  );
  const line = row(
    '---',
    operations.map(() => '---:'),
  );
  return [head, line, ...costs, ...ratios].join('');
}
