import type { Comparison } from './comparison.js';
import { type Figures, steadyOperations } from './contender-run.js';
import { type Contender, type ContenderName, contenders, operationNames, operations } from './contenders.js';
import type { Environment } from './environment.js';
import type { GrowthRow } from './growth.js';
import { comparisonLimits, type Limit, ratioTo, type Results } from './limits.js';
import { total } from './measure.js';
import { CONNECTIONS, isQuick, POOL_SIZE, sizes, STEADY_RATE } from './sizes.js';
import type { Throughput } from './throughput.js';
import { TURN } from './turns.js';
import type { WindowRow } from './windows.js';

export type Report = Results & { readonly environment: Environment; readonly limits: readonly Limit[] };

const MIB = 2 ** 20;

/** The whole report as Markdown. */
export function toMarkdown(report: Report): string {
  const { environment, growth, throughput } = report;
  const { rounds, small, big } = sizes;
  return [
    `${isQuick ? '**A quick run: it shows that the bench works, and nothing about costs.**\n\n' : ''}Measured ${environment.date}: Node ${environment.node}, PostgreSQL ${environment.postgres}, ${environment.cores} cores of ${environment.processor}, ${environment.memoryGiB} GiB; ${environment.pinning}.`,
    '## CPU of a request',
    `Microseconds of CPU, user and system, of the server's process; ${CONNECTIONS} connections; medians of ${rounds} rounds, contenders in turn at each operation, ${thousands(TURN)} requests a turn. In the last column the CPU of PostgreSQL itself.`,
    costTable(report.comparison),
    'How each treats overlaps and retries:',
    contenders.map(({ name, keeps }) => `- ${name}: ${keeps}`).join('\n'),
    'The CPU of this service divided by that of the other; against servers on PostgreSQL, the service on PostgreSQL:',
    ratioTable(report.comparison),
    `## Latency at ${thousands(STEADY_RATE)} requests per second, memory, start`,
    'Milliseconds, p50 / p99. Memory is the most that was resident in the run above; start is the time from the start of the process to its first response.',
    latencyTable(report.comparison),
    `## Growth: ${thousands(big)} bookings against ${thousands(small)}`,
    'Microseconds of CPU of a request, on PostgreSQL with those of the database. The creates come last and add to what is there.',
    growthTable('In memory', growth.memory.rows),
    growthTable('On PostgreSQL, warm cache', growth.postgres.rows),
    'A window over half of the time that slots are in, by when the slots of the bookings were made: in the order of time, against it, at random. The ratio is to the first page without a window of the same store; it is the larger one of both sizes.',
    windowTable('In memory', growth.memory.windows),
    windowTable('On PostgreSQL, warm cache', growth.postgres.windows),
    `A booking with 200 bytes of details takes ${thousands(growth.bookingHeap)} bytes of heap, ${thousands(growth.bookingResident)} of resident memory.`,
    '## Creates per second on PostgreSQL',
    `By HTTP and by a plain loop of \`pg\` with the same INSERT, both with ${POOL_SIZE} connections to the database, nothing pinned. The ratio is the median of those of the rounds.`,
    throughputTable(throughput),
    '## Limits',
    limitTable(report.limits),
    '',
  ].join('\n\n');
}

/** What the requests of some contenders cost, with the limits between them. */
export function costsToMarkdown(comparison: Comparison): string {
  const tables = [costTable(comparison), ratioTable(comparison), limitTable(comparisonLimits(comparison))];
  return `${tables.join('\n\n')}\n`;
}

function costTable(comparison: Comparison): string {
  const rows = measured(comparison).map(([{ name }, { cost }]) => {
    const database = operations.map((operation) => cost[operation]?.database ?? 0);
    return [name as string].concat(
      operations.map((operation) => figure(cost[operation]?.server, 1)),
      database.some((value) => value > 0) ? database.map((value) => figure(value, 0)).join(' / ') : '',
    );
  });
  return table(['server', ...operations.map((name) => operationNames[name]), 'database'], rows);
}

function ratioTable(comparison: Comparison): string {
  const inMemory = ['bare', 'nest-express', 'nest-fastify', 'nest-fastify-equal'] as const satisfies ContenderName[];
  const onPostgres = ['bare-pg', 'nest-typeorm'] as const satisfies ContenderName[];
  const rowsOf = (service: 'memory' | 'postgres', others: readonly ContenderName[]): string[][] =>
    others
      .filter((other) => comparison[other] && comparison[service])
      .map((other) =>
        [other as string].concat(operations.map((of) => figure(ratioTo(comparison, other, of, service), 2))),
      );
  const rows = [...rowsOf('memory', inMemory), ...rowsOf('postgres', onPostgres)];
  return table(['against', ...operations.map((name) => operationNames[name])], rows);
}

function latencyTable(comparison: Comparison): string {
  const rows = measured(comparison).map(([{ name }, { latency, peakMemory, startUp }]) => {
    const latencies = steadyOperations.map((of) => `${figure(latency[of].p50, 2)} / ${figure(latency[of].p99, 2)}`);
    return [name as string].concat(latencies, `${figure(peakMemory / MIB, 0)} MiB`, `${figure(startUp, 0)} ms`);
  });
  return table(['server', ...steadyOperations.map((name) => operationNames[name]), 'peak memory', 'start'], rows);
}

function growthTable(store: string, growth: readonly GrowthRow[]): string {
  const rows = growth.map(({ operation, small, big, ratio }) => [
    operation,
    figure(total(small), 1),
    figure(total(big), 1),
    figure(ratio, 2),
  ]);
  return table([store, thousands(sizes.small), thousands(sizes.big), 'ratio'], rows);
}

function windowTable(store: string, windows: readonly WindowRow[]): string {
  const rows = windows.map(({ made, window, small, big, ratio }) => [
    `${made}: ${window}`,
    figure(total(small), 1),
    figure(total(big), 1),
    figure(ratio, 2),
  ]);
  return table([store, thousands(sizes.small), thousands(sizes.big), 'ratio to a first page'], rows);
}

function throughputTable(throughput: readonly Throughput[]): string {
  const rows = throughput.map(({ clients, http, loop, ratio }) => [
    `${clients} clients`,
    thousands(http),
    thousands(loop),
    ratio.toFixed(2),
  ]);
  return table(['', 'by HTTP', 'by the loop', 'ratio'], rows);
}

function limitTable(limits: readonly Limit[]): string {
  const rows = limits.map(({ what, bound, limit, value, isReached }) => [
    what,
    `${bound} ${thousands(limit)}`,
    value >= 100 ? thousands(value) : figure(value, 2),
    isReached ? 'reached' : '**missed**',
  ]);
  return table(['limit', 'bound', 'this run', ''], rows);
}

function measured(comparison: Comparison): [Contender, Figures][] {
  return contenders.flatMap((contender) => {
    const figures = comparison[contender.name];
    return figures === undefined ? [] : [[contender, figures]];
  });
}

/** All columns but the first to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function figure(value: number | undefined, digits: number): string {
  return value === undefined ? '–' : value.toFixed(digits);
}

function thousands(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 2 : 0 });
}
