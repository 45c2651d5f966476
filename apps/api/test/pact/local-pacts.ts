import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The consumers of this repository, each with its contracts in `pacts`. Turbo runs their `pact:consumer` before. */
export const localConsumers = ['packages/client', 'examples/front-desk'] as const;

/** @returns the paths of the pact files that a consumer has; none before its tests ran */
export function localPactsOf(consumer: (typeof localConsumers)[number]): string[] {
  const folder = new URL(`../../../../${consumer}/pacts/`, import.meta.url);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder)));
}

export const localPacts = localConsumers.flatMap(localPactsOf);
