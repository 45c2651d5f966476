import { Verifier, type VerifierOptions } from '@pact-foundation/pact';
import type { BookingsProvider } from './bookings-provider.js';
import { localPacts } from './local-pacts.js';
import { pactSource } from './pact-source.js';
import { stateChanges } from './state-changes.js';

/** The contracts that this run is asked to verify. */
export const askedFor = pactSource({ ...process.env }, localPacts);

// pact-core reads these by itself, and would add the broker where a test names other contracts.
for (const name of Object.keys(process.env)) if (name.startsWith('PACT_BROKER_')) delete process.env[name];

/**
 * Holds the service against contracts.
 *
 * @param options say which, and whatever else the verifier takes
 * @throws Error when the service breaks one that is not pending
 */
export async function verify(provider: BookingsProvider, options: Partial<VerifierOptions>): Promise<string> {
  const verifier = new Verifier({
    provider: 'bookings-service',
    providerBaseUrl: await provider.start(),
    logLevel: 'error',
    ...options,
    requestFilter: stateChanges(provider.stateHandlers, options.requestFilter),
  });
  try {
    return await verifier.verifyProvider();
  } finally {
    await provider.stop();
  }
}
