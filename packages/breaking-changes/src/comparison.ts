import { isDeepStrictEqual } from 'node:util';
import { expand, type Json } from './references.js';

/**
 * Who writes the values that a schema describes. What is sent must still be taken, all of it. What is received
 * must stay as it is: consumers have been told to expect new members and nothing else.
 */
export type Direction = 'sent' | 'received';

/** `true` takes anything, `false` nothing; an absent schema takes anything. */
export type Schema = Json | boolean | undefined;

/** Two documents that are compared, and what was found. */
export class Comparison {
  readonly found: string[] = [];
  /** Pairs of components, each in one place, that need no second look. */
  readonly compared = new Set<string>();

  constructor(
    readonly before: Json,
    readonly after: Json,
  ) {}

  report(where: string, what: string): void {
    this.found.push(`${where}: ${what}`);
  }

  /** Whether two values mean the same wherever their references lead. */
  isSame(before: unknown, after: unknown): boolean {
    return isDeepStrictEqual(expand(before, this.before), expand(after, this.after));
  }
}

/** How the parts of a schema are judged: a keyword that holds schemas has them compared in the same direction. */
export interface SchemaComparer {
  readonly comparison: Comparison;
  readonly direction: Direction;
  compare(before: Schema, after: Schema, where: string): void;
  report(where: string, what: string): void;
}

/** A value as a message shows it. */
export function show(value: unknown): string {
  return value === undefined ? 'nothing' : `\`${JSON.stringify(value)}\``;
}
