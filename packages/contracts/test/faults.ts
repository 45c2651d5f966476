import type * as z from 'zod';
import { type FieldErrorDto, validate } from '../src/index.js';

/** What a schema finds wrong with a value; nothing where it takes the value. */
export function errorsOf(schema: z.ZodType, value: unknown): FieldErrorDto[] {
  const result = validate(schema, value);
  return 'errors' in result ? result.errors : [];
}
