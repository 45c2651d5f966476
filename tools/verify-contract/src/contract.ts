import { readFileSync } from 'node:fs';

/** One interaction of a contract, as far as a verdict names it. */
export interface Interaction {
  description: string;
  states: string[];
  /** Whether its consumer lets it fail for now. */
  isPending: boolean;
}

/** A contract as a pact file has it. */
export interface Contract {
  consumer: string;
  provider: ProviderName;
  interactions: Interaction[];
}

interface PactFile {
  consumer?: { name?: string };
  provider?: { name?: string };
  interactions?: {
    description: string;
    providerState?: string;
    providerStates?: { name: string }[];
    pending?: boolean;
  }[];
}

/** What the service responds is one provider to Pact, and what it sends by itself another. */
export const providers = { responses: 'bookings-service', events: 'bookings-service-events' } as const;
export type ProviderName = (typeof providers)[keyof typeof providers];

/** @throws TypeError, with one line, when the file is not a contract with this service */
export function readContract(path: string): Contract {
  const pact = parse(path);
  const { consumer, provider, interactions } = pact;
  if (consumer?.name === undefined || !Array.isArray(interactions)) {
    throw new TypeError(`${path} is no pact file: it has no consumer, or no interactions.`);
  }
  const known = Object.values(providers).find((name) => name === provider?.name);
  if (known === undefined) {
    const ours = Object.values(providers).join(' and ');
    throw new TypeError(`${path} is a contract with the provider ${provider?.name}; this service is ${ours}.`);
  }
  if (interactions.length === 0) throw new TypeError(`${path} has no interactions: there is nothing to verify.`);
  return {
    consumer: consumer.name,
    provider: known,
    interactions: interactions.map(({ description, providerState, providerStates, pending }) => ({
      description,
      states: providerStates?.map(({ name }) => name) ?? [providerState ?? []].flat(),
      isPending: pending === true,
    })),
  };
}

function parse(path: string): PactFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new TypeError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`, { cause: error });
  }
  try {
    return (JSON.parse(text) ?? {}) as PactFile;
  } catch (cause) {
    throw new TypeError(`${path} is no pact file: it is not JSON.`, { cause });
  }
}
