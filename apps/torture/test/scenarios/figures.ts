import type { Violations } from '../checks/history.js';
import { RECOVERY } from '../limits.js';

/** What a scenario found. */
export interface Figures {
  readonly scenario: string;
  /** What was done, and how often. */
  readonly size: string;
  readonly violations: Violations;
  /** Milliseconds of the slowest response. */
  readonly slowest?: number;
  /** Milliseconds until the service responded again, at worst. */
  readonly recovery?: number;
}

export function checkRecovery(what: string, recovery: number): Violations {
  return recovery <= RECOVERY ? [] : [`Recovery: the service needs ${Math.round(recovery)} ms after ${what}.`];
}

/** One line for each scenario, as a table. */
export function tableOf(figures: readonly Figures[]): string {
  const head = ['scenario', 'size', 'violations', 'slowest ms', 'recovery ms'];
  const lines = figures.map(({ scenario, size, violations, slowest, recovery }) => [
    scenario,
    size,
    String(violations.length),
    slowest?.toFixed(0) ?? '',
    recovery?.toFixed(0) ?? '',
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]!.length)));
  return [head, ...lines].map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')).join('\n');
}
