import * as z from 'zod';
import { slotSchema } from './booking.js';
import { MAX_FAULTS } from './payload-rules.js';
import { type ProblemName, problemType, problemTypes } from './problem-types.js';

const names = Object.keys(problemTypes) as [ProblemName, ...ProblemName[]];

/** One fault of a request and the member that has it. */
export const faultSchema = z
  .object({
    pointer: z.string().meta({
      description: 'JSON Pointer to the member, as a URI fragment (RFC 6901 §6)',
      // The names of a whole payload, each byte of them percent-encoded.
      maxLength: 200_000,
      examples: ['#/slot/start'],
    }),
    detail: z.string().meta({ description: 'What is wrong with it, for people', maxLength: 1_000 }),
  })
  .meta({ id: 'Fault', description: 'One fault and the member that has it' });

/** Problem details (RFC 9457), the body of every error. */
export const problemSchema = z
  .looseObject({
    type: z.enum(names.map(problemType)).meta({ description: 'The one machine-readable name of the problem' }),
    title: z.string().meta({ description: 'What the type means, for people', maxLength: 200 }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status of the answer', format: 'int32' }),
    detail: z.string().meta({ description: 'What is wrong with this request, for people', maxLength: 1_000 }),
    instance: z.string().meta({ description: "The request's path", maxLength: 16_384 }),
    errors: z.array(faultSchema).optional().meta({ description: 'Where members are at fault', maxItems: MAX_FAULTS }),
    conflicting_slot: slotSchema
      .optional()
      .meta({ description: 'With `slot-taken`: a slot that is held and overlaps the one asked for' }),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457)' });

export type FaultDto = z.infer<typeof faultSchema>;
export type ProblemDto = z.infer<typeof problemSchema>;
