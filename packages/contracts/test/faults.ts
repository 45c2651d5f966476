import type * as z from 'zod';
import { type FaultDto, validate } from '../src/index.js';

/** What a schema finds wrong with a value; nothing where it takes the value. */
export function faultsOf(schema: z.ZodType, value: unknown): FaultDto[] {
  const result = validate(schema, value);
  return 'faults' in result ? result.faults : [];
}
