import { createHash } from 'node:crypto';

export interface Statement {
  /** A name has the server keep the plan, for statements that are always the same. */
  readonly name?: string;
  readonly text: string;
}

/**
 * A statement that is always the same. The name goes with the text, so that no session can have another statement
 * under it, of another version of the service.
 *
 * Its members are in the prototype: `pg` 8.23 copies the object for each query, which takes 4.4 µs with members of
 * its own, and 0.4 µs so.
 */
export function prepared(text: string): Statement {
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 16);
  return Object.create({ name, text }) as Statement;
}
