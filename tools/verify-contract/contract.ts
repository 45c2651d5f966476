import { readFileSync } from 'node:fs';
import * as z from 'zod';

const booking = z.strictObject({ payload: z.record(z.string(), z.unknown()), idempotency_key: z.string().optional() });
const params = z.strictObject({ bookings: z.array(booking).min(1) });
const state = z.discriminatedUnion(
  'name',
  [
    z.object({ name: z.literal('no bookings exist'), params: z.strictObject({}).optional() }),
    z.object({ name: z.enum(['these bookings exist', 'these bookings were deleted']), params }),
  ],
  { error: 'not a state of docs/contracts.md' },
);
const interaction = z.object({
  description: z.string(),
  /** Of Pact's version 2, without parameters. */
  providerState: z.enum(['', 'no bookings exist']).nullish(),
  /** At most one: Pact's verifier would enter the last alone. */
  providerStates: z.array(state).max(1).optional(),
});
const contract = z.object({
  /** Pact takes responses and events for those of two providers. */
  provider: z.object({ name: z.enum(['bookings-service', 'bookings-service-events']) }),
  interactions: z.array(interaction).min(1),
});

/** The parameters of a state: bookings, in the order of their creation. */
export type Bookings = z.output<typeof params>;

/**
 * Reads a pact file, and rejects what Pact's verifier passes over in silence.
 *
 * @throws Error when it is not a contract that can be verified
 */
export function readContract(path: string): z.output<typeof contract> {
  const { data, error } = contract.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (error) throw new TypeError(`${path} is not a contract with this service:\n${z.prettifyError(error)}`);
  return data;
}
