import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** The service's two names in Pact: as a provider of responses, and as a provider of events. */
export const PROVIDERS = ['bookings-service', 'bookings-service-events'] as const;

const typed = z.object({ contentType: z.string().optional() }).optional().catch(undefined);
const interaction = z.object({
  description: z.string(),
  /** Not those of version 2, which has another member for one. */
  providerStates: z.array(z.object({ name: z.string() })).catch([]),
  /** Whether the interaction may be broken. */
  pending: z.boolean().catch(false),
  /** The body of the message, if the interaction is an event. */
  contents: typed,
  metadata: typed,
});
const contract = z
  .object({
    provider: z.object({ name: z.enum(PROVIDERS) }),
    interactions: z.array(interaction).default([]),
    /** The interactions of a contract of events in version 3. */
    messages: z.array(interaction).default([]),
  })
  .transform(({ provider, interactions, messages }) => ({ provider, interactions: [...interactions, ...messages] }));

export type Contract = z.output<typeof contract>;
export type Interaction = z.output<typeof interaction>;

/**
 * @param source names the document in errors
 * @throws Error with a line for each fault, if the document is not a contract with this service
 */
export function contractOf(document: unknown, source: string): Contract {
  const { data, error } = contract.safeParse(document);
  if (error !== undefined) throw new Error(`${source} cannot be verified:\n${z.prettifyError(error)}`);
  return data;
}

/** @throws Error if the file cannot be read or is not a contract with this service */
export function readContract(path: string): Contract {
  const text = readFileSync(path, 'utf8');
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON.`);
  }
  return contractOf(document, path);
}
