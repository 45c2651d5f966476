import type { Violations } from '../checks/violations.js';

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

/**
 * Milliseconds in which the service has to respond again, and in which it has to respond at all: a time that only a hang
 * meets, except in `pnpm test:torture`.
 */
export const RECOVERY_BOUND = Number(process.env['TORTURE_RECOVERY_MS'] ?? 60_000);

export function checkRecovery(what: string, recovery: number): Violations {
  return recovery <= RECOVERY_BOUND ? [] : [`Recovery: the service needs ${Math.round(recovery)} ms after ${what}.`];
}

/** One line for each scenario, as a table. */
export function tableOf(figures: readonly Figures[]): string {
  const head = ['scenario', 'size', 'violations', 'slowest ms', 'recovery ms'];
  const lines = figures.map(({ scenario, size, violations, slowest, recovery }) => [
    scenario,
    size,
    String(violations.length),
    slowest === undefined ? '' : slowest.toFixed(0),
    recovery === undefined ? '' : recovery.toFixed(0),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]!.length)));
  return [head, ...lines].map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')).join('\n');
}
