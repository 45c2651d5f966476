import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The consumers of this repository, each with its contracts in `pacts`. Turbo runs their `pact:consumer` before. */
export const localConsumers = ['packages/client', 'examples/front-desk'] as const;

/** Providers, as contracts name them: what the service responds, and what it sends by itself. */
export type ProviderName = 'bookings-service' | 'bookings-service-events';

/** @returns the paths of the pact files that a consumer has with a provider; none before its tests ran */
export function localPactsOf(
  consumer: (typeof localConsumers)[number],
  provider: ProviderName = 'bookings-service',
): string[] {
  const folder = new URL(`../../../../${consumer}/pacts/`, import.meta.url);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(`-${provider}.json`));
  return names.map((name) => fileURLToPath(new URL(name, folder)));
}

export function localPactsWith(provider: ProviderName): string[] {
  return localConsumers.flatMap((consumer) => localPactsOf(consumer, provider));
}
