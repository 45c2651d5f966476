import type { Service } from './service.js';

/** How much is checked; each level includes the ones before it. */
export const levels = ['specification', 'interface', 'concurrency', 'events'] as const;
export type Level = (typeof levels)[number];

/** One statement about the interface, and how to see whether a service keeps it. */
export interface Check {
  /** Stable, so that reports can be compared: the topic, then what is checked. */
  readonly id: string;
  readonly level: Level;
  /** The heading of docs/interface.md that the statement stands under. */
  readonly section: string;
  /** The statement. */
  readonly title: string;
  /** Whether it waits for a time limit of the service, 10 s and more. */
  readonly slow?: boolean;
  /**
   * Resolves when the service keeps the statement.
   *
   * @throws Failure when it does not, Skipped when that cannot be seen
   */
  run(service: Service): Promise<void>;
}

/** A check before it has its place. */
export type Statement = Omit<Check, 'section' | 'level'>;

/** A statement that needs code; where requests and what is expected are enough, it is a `row`. */
export function check(id: string, title: string, run: Check['run']): Statement {
  return { id, title, run };
}

/** The checks of one section and level. */
export function checksOf(section: string, level: Level, statements: readonly Statement[]): Check[] {
  return statements.map((statement) => ({ section, level, ...statement }));
}
