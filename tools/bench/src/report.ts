import { type Operation, OPERATIONS } from './load.js';

/** Microseconds of CPU per request. */
export interface Cost {
  readonly server: number;
  /** 0 without one. */
  readonly database: number;
}

/** The costs of each round. */
export type Costs = Partial<Record<Operation, Cost[]>>;

/** What is compared, where both were measured. */
const RATIOS = [
  ['memory', 'bare'],
  ['memory', 'nest-fastify-equal'],
  ['memory', 'memory-before'],
  ['postgres', 'bare-pg'],
  ['postgres', 'postgres-before'],
] as const;

const operations = Object.keys(OPERATIONS) as Operation[];

/** A table of medians over the rounds, and of their ratios, by the names of contenders. */
export function toMarkdown(results: ReadonlyMap<string, Costs>): string {
  const median = (name: string, operation: Operation, part: keyof Cost) => {
    const costs = results.get(name)?.[operation] ?? [];
    const sorted = costs.map((cost) => cost[part]).toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  const cell = (digits: number, valueOf: (part: keyof Cost) => number) => {
    const [server, database] = [valueOf('server'), valueOf('database')];
    return database > 0 ? `${server.toFixed(digits)} + ${database.toFixed(digits)}` : server.toFixed(digits);
  };
  const row = (title: string, cellOf: (operation: Operation) => string) =>
    `| ${[title, ...operations.map(cellOf)].join(' | ')} |\n`;
  const ratios = RATIOS.filter((names) => names.every((name) => results.has(name)));
  return [
    row('µs of CPU per request: server + database', (operation) => OPERATIONS[operation].title),
    row('---', () => '---:'),
    ...[...results.keys()].map((name) => row(name, (operation) => cell(1, (part) => median(name, operation, part)))),
    ...ratios.map(([name, other]) =>
      row(`${name} / ${other}`, (operation) =>
        cell(2, (part) => median(name, operation, part) / median(other, operation, part)),
      ),
    ),
  ].join('');
}
