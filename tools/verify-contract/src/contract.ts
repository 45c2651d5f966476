import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** What the service responds is one provider to Pact, and what it sends by itself another. */
export const providers = { responses: 'bookings-service', events: 'bookings-service-events' } as const;
export type ProviderName = (typeof providers)[keyof typeof providers];

const stateSchema = z.looseObject({ name: z.string(), params: z.unknown().optional() });

/** What is read of a pact file, of any version. */
const pactSchema = z.looseObject({
  consumer: z.looseObject({ name: z.string() }),
  provider: z.looseObject({ name: z.string() }),
  interactions: z.array(
    z.looseObject({
      description: z.string(),
      providerState: z.string().nullish(),
      providerStates: z.array(stateSchema).optional(),
      pending: z.unknown().optional(),
    }),
  ),
});

/** One interaction of a contract, as far as a verdict names it. */
export interface Interaction {
  description: string;
  states: { name: string; params?: unknown }[];
  /** Whether its consumer lets it fail for now. */
  isPending: boolean;
}

export interface Contract {
  consumer: string;
  provider: ProviderName;
  interactions: Interaction[];
  /** The text of its file. */
  text: string;
}

/** @throws TypeError, with one line, when the file is not a contract with this service */
export function readContract(path: string): Contract {
  const { text, json } = parse(path);
  const pact = pactSchema.safeParse(json);
  if (!pact.success) {
    const [{ path: member, message }] = pact.error.issues as [z.core.$ZodIssue];
    throw new TypeError(`${path} is no pact file: ${[...member, message].join(': ')}.`);
  }
  const { consumer, provider, interactions } = pact.data;
  const known = Object.values(providers).find((name) => name === provider.name);
  if (known === undefined) {
    const ours = Object.values(providers).join(' and ');
    throw new TypeError(`${path} is a contract with the provider ${provider.name}; this service is ${ours}.`);
  }
  if (interactions.length === 0) throw new TypeError(`${path} has no interactions: there is nothing to verify.`);
  return {
    consumer: consumer.name,
    provider: known,
    interactions: interactions.map(({ description, providerState, providerStates, pending }) => ({
      description,
      states: providerStates ?? (providerState ? [{ name: providerState }] : []),
      isPending: pending === true,
    })),
    text,
  };
}

function parse(path: string): { text: string; json: unknown } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new TypeError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`, { cause: error });
  }
  try {
    return { text, json: JSON.parse(text) };
  } catch (cause) {
    throw new TypeError(`${path} is no pact file: it is not JSON.`, { cause });
  }
}
