import type { z } from 'zod';
import { MAX_ERRORS } from './payload-rules.js';
import { MAX_POINTER_LENGTH } from './problem.js';
import type { FieldErrorDto } from './types.js';

export type Validated<Value> = { value: Value } | { errors: FieldErrorDto[] };

/** Checks a value against a schema of this package. @returns the parsed value, or at most 20 `errors` for a problem */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): Validated<z.output<Schema>> {
  const result = schema.safeParse(value);
  return result.success
    ? { value: result.data }
    : { errors: result.error.issues.flatMap(toFieldErrors).slice(0, MAX_ERRORS) };
}

function toFieldErrors(issue: z.core.$ZodIssue): FieldErrorDto[] {
  const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return paths.slice(0, MAX_ERRORS).map((path) => fieldErrorAt(path, issue.message));
}

/**
 * The error of a member, with a JSON Pointer as a URI fragment (RFC 6901 §6). A pointer of more than 1,000 characters
 * is cut to that of an enclosing member, and the detail says so: a response with 20 errors has to fit into 64 KiB.
 */
export function fieldErrorAt(path: readonly PropertyKey[], detail: string): FieldErrorDto {
  let pointer = '#';
  for (const segment of path.map(String)) {
    // Escaping never shortens a segment, so a segment above the limit need not be escaped.
    const longer = segment.length > MAX_POINTER_LENGTH ? segment : `${pointer}/${escapeSegment(segment)}`;
    if (longer.length > MAX_POINTER_LENGTH) return { pointer, detail: `a member within this one ${detail}` };
    pointer = longer;
  }
  return { pointer, detail };
}

function escapeSegment(segment: string): string {
  return encodeURIComponent(toWellFormed(segment).replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The text with U+FFFD in place of each lone surrogate, which UTF-8 cannot encode. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\uFFFD');
}
