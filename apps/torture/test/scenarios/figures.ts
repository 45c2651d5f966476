import type { Violations } from '../checks/history.js';
import { RECOVERY } from '../limits.js';

/** The findings of a scenario. */
export interface Figures {
  /** A text with the counts of all that was done. */
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

/** A table in Markdown, as in `docs/reliability.md`. */
export function tableOf(found: ReadonlyMap<string, Figures>): string {
  const lines = [...found].map(([scenario, { size, slowest, recovery }]) => [
    scenario,
    size,
    slowest?.toFixed(0) ?? '',
    recovery?.toFixed(0) ?? '',
  ]);
  const head = ['Scenario', 'Size', 'Slowest, ms', 'Recovery, ms'];
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
