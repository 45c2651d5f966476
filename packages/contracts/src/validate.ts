import type { z } from 'zod';
import { MAX_FAULTS } from './payload-rules.js';
import type { FaultDto } from './problem.js';

export type Validated<Value> = { value: Value } | { faults: FaultDto[] };

/** Checks a value against a schema of this package. @returns the value as read, or at most 20 faults as a problem lists them in `errors` */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): Validated<z.output<Schema>> {
  const result = schema.safeParse(value);
  return result.success
    ? { value: result.data }
    : { faults: result.error.issues.flatMap(toFaults).slice(0, MAX_FAULTS) };
}

function toFaults(issue: z.core.$ZodIssue): FaultDto[] {
  const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return paths.map((path) => ({ pointer: toPointer(path), detail: issue.message }));
}

/** A JSON Pointer in its URI fragment form (RFC 6901 §6). */
export function toPointer(path: readonly PropertyKey[]): string {
  return `#${path.map((segment) => `/${escapeSegment(String(segment))}`).join('')}`;
}

function escapeSegment(segment: string): string {
  // A lone surrogate has no UTF-8 and cannot be percent-encoded: U+FFFD stands in for it.
  const wellFormed = segment.replace(/\p{Cs}/gu, '\uFFFD');
  return encodeURIComponent(wellFormed.replaceAll('~', '~0').replaceAll('/', '~1'));
}
