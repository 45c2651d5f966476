import type { Violations } from '../checks/history.js';

export interface Figures {
  readonly size: string;
  readonly violations: Violations;
  /** Milliseconds of the slowest response. */
  readonly slowest?: number;
  /** Maximum milliseconds until the service works again. */
  readonly recovery?: number;
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
