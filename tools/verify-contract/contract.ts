import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** The service's two names in Pact: as a provider of responses, and as a provider of events. */
export const PROVIDERS = ['bookings-service', 'bookings-service-events'] as const;

/** Pact's verifier would enter only the last of several states. */
const providerStates = z.array(z.object({ name: z.string() })).max(1, 'An interaction can name one state, not several');
const interaction = z.object({
  description: z.string(),
  providerStates: providerStates.optional(),
  /** The body of the message, if the interaction is an event. */
  contents: z.object({ contentType: z.string() }).optional(),
  metadata: z.object({ contentType: z.string().optional() }).optional(),
});
const contract = z.object({
  provider: z.object({ name: z.enum(PROVIDERS) }),
  interactions: z.array(interaction).min(1, 'There is no interaction'),
});

export type Contract = z.output<typeof contract>;
export type Interaction = z.output<typeof interaction>;

/** @throws Error with a line for each fault, if the document cannot be verified as a whole */
export function contractOf(document: unknown): Contract {
  const { data, error } = contract.safeParse(document);
  if (error !== undefined) throw new Error(z.prettifyError(error));
  return data;
}

/** @throws Error if the file cannot be read or is not JSON */
export function readDocument(path: string): unknown {
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON.`);
  }
}
