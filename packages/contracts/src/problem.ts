import * as z from 'zod';
import { slotSchema } from './booking.js';
import { MAX_ERRORS } from './payload-rules.js';
import { type ProblemContract, type ProblemName, problemType, problemTypes } from './problem-types.js';

export function problemContract(name: ProblemName): ProblemContract {
  return problemTypes[name];
}

const names = Object.keys(problemTypes) as [ProblemName, ...ProblemName[]];

/** Maximum characters of an error's pointer. */
export const MAX_POINTER_LENGTH = 1_000;
/** Maximum characters of `detail`, in a problem and in each of its errors. */
export const MAX_DETAIL_LENGTH = 1_000;

/** One error in a request, and the member that has it. */
export const fieldErrorSchema = z
  .object({
    pointer: z.string().meta({
      description:
        'JSON Pointer to the member, as a URI fragment (RFC 6901 §6); above 1,000 characters, that of an enclosing member',
      maxLength: MAX_POINTER_LENGTH,
      examples: ['#/slot/start'],
    }),
    detail: z.string().meta({ description: 'What is wrong with the member, for people', maxLength: MAX_DETAIL_LENGTH }),
  })
  .meta({ id: 'FieldError', description: 'One error of a request, and its member' });

/** Problem details (RFC 9457), the body of every error response. */
export const problemSchema = z
  .looseObject({
    type: z.enum(names.map(problemType)).meta({ description: 'Identifies the problem type; decide by this member' }),
    title: z.string().meta({ description: 'Summary of the problem type, for people', maxLength: 200 }),
    status: z.int().min(400).max(599).meta({ description: 'HTTP status code of the response', format: 'int32' }),
    detail: z
      .string()
      .meta({ description: 'Explanation of this occurrence, for people', maxLength: MAX_DETAIL_LENGTH }),
    instance: z.string().meta({ description: 'Path of the request', maxLength: 16_384 }),
    errors: z
      .array(fieldErrorSchema)
      .optional()
      .meta({ description: 'Errors of members of the request', maxItems: MAX_ERRORS }),
    conflicting_slot: slotSchema
      .optional()
      .meta({ description: 'With `slot-taken`: a booked slot that overlaps the requested one' }),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457)' });
