import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** Pact takes the service's responses for one provider, and its events for another. */
export const providers = { responses: 'bookings-service', events: 'bookings-service-events' } as const;

const bookings = z.strictObject({
  bookings: z
    .array(z.strictObject({ payload: z.record(z.string(), z.unknown()), idempotency_key: z.string().optional() }))
    .min(1),
});
/** The parameters of each state that an interaction may name; '' where it names none. */
const states = {
  '': z.strictObject({}),
  'no bookings exist': z.strictObject({}),
  'these bookings exist': bookings,
  'these bookings were deleted': bookings,
};
export type StateName = keyof typeof states;

/** The bookings of a state, in the order of their creation. */
export type BookingsState = z.output<typeof bookings>;

const stateSchema = z.looseObject({ name: z.string(), params: z.unknown().optional() });
const interactionSchema = z.looseObject({
  description: z.string(),
  /** Absent before version 4 of Pact's specification, where all are requests. */
  type: z.string().default('Synchronous/HTTP'),
  providerState: z.string().nullish(),
  providerStates: z.array(stateSchema).optional(),
});
/** The members of a pact file that are read, in any version. */
const pactSchema = z.looseObject(
  {
    consumer: z.looseObject({ name: z.string() }, { error: 'it names no consumer' }),
    provider: z.looseObject(
      { name: z.enum(providers, { error: `its provider is not ${Object.values(providers).join(' or ')}` }) },
      { error: 'it names no provider' },
    ),
    interactions: z
      .array(interactionSchema, { error: 'it has no interactions' })
      .min(1, { error: 'it has no interactions' }),
  },
  { error: 'it is no object' },
);

export interface Contract {
  path: string;
  consumer: string;
  provider: (typeof providers)[keyof typeof providers];
  /** One for each interaction. */
  descriptions: string[];
}

/**
 * Reads a pact file, and rejects what Pact's verifier passes over in silence: a state that is not known, and a second
 * one, which replaces the first.
 *
 * @throws TypeError, with a line for each fault, when it is not a contract that can be verified
 */
export function readContract(path: string): Contract {
  const pact = pactSchema.safeParse(parse(path));
  if (!pact.success) {
    const sentences = pact.error.issues.map(({ message }) => message).join('; ');
    throw new TypeError(`${path} is not a contract with this service: ${sentences}.`);
  }
  const { consumer, provider, interactions } = pact.data;
  const faults = interactions.flatMap(({ description, type, providerState, providerStates }) => {
    const rightProvider = type === 'Synchronous/HTTP' ? providers.responses : providers.events;
    const fault =
      provider.name === rightProvider
        ? faultOf(providerStates ?? (providerState ? [{ name: providerState }] : []))
        : `it belongs into a contract with the provider \`${rightProvider}\`.`;
    return fault === undefined ? [] : [`${description}: ${fault}`];
  });
  if (faults.length > 0) throw new TypeError(faults.join('\n'));
  const descriptions = interactions.map(({ description }) => description);
  return { path, consumer: consumer.name, provider: provider.name, descriptions };
}

function faultOf(named: z.output<typeof stateSchema>[]): string | undefined {
  if (named.length > 1) return `it names ${named.length} states, of which Pact would enter the last alone.`;
  const [state = { name: '' }] = named;
  if (!Object.hasOwn(states, state.name)) {
    const known = Object.keys(states).filter(Boolean).join('`, `');
    return `the state \`${state.name}\` is unknown; there are \`${known}\`.`;
  }
  const { error } = states[state.name as StateName].safeParse(state.params ?? {});
  return error && `the parameters of \`${state.name}\` are wrong: ${textOf(error)}.`;
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new TypeError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function textOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path, message].join(': ')).join('; ');
}
