import type { Service } from './service.js';

/** The levels of a run. Each level includes the checks of the levels before it. */
export const levels = ['specification', 'interface', 'concurrency', 'events'] as const;
export type Level = (typeof levels)[number];

export interface Check {
  /** Topic and subject, such as `list.cursor.limit`. An id never changes, so that reports can be compared. */
  readonly id: string;
  readonly level: Level;
  /** A heading of docs/interface.md, or `The specification`. */
  readonly section: string;
  readonly title: string;
  /** Whether the check waits for a time limit of the service, which takes at least 10 s. */
  readonly slow?: boolean;
  /** @throws Failure if the service breaks the statement, Skipped if the run cannot decide */
  run(service: Service): Promise<void>;
}

export type Statement = Omit<Check, 'section' | 'level'>;

export function check(id: string, title: string, run: Check['run']): Statement {
  return { id, title, run };
}

export function checksOf(section: string, level: Level, statements: readonly Statement[]): Check[] {
  return statements.map((statement) => ({ section, level, ...statement }));
}
