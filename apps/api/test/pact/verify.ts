import type { VerifierOptions } from '@pact-foundation/pact';
import { runVerifier } from 'verify-contract';
import type { BookingsProvider } from './bookings-provider.js';
import { localPacts } from './local-pacts.js';
import { pactSource } from './pact-source.js';

/** The contracts that this run is asked to verify. */
export const askedFor = pactSource({ ...process.env }, localPacts);

/** What {@link verify} throws when the service breaks a contract. */
export const BROKEN = /^A contract is broken/;

/**
 * Holds the service against contracts.
 *
 * @param options say which, and whatever else the verifier takes
 * @returns what the verifier printed
 * @throws Error {@link BROKEN}, with what the verifier printed, when the service breaks one that is not pending
 */
export async function verify(provider: BookingsProvider, options: Partial<VerifierOptions>): Promise<string> {
  const providerBaseUrl = await provider.start();
  try {
    const { outcome, printed } = await runVerifier({ providerBaseUrl, ...options }, provider.stateHandlers);
    if (outcome === 'kept') return printed;
    throw new Error(
      `${outcome === 'broken' ? 'A contract is broken' : 'The contracts were not verified'}:\n${printed}`,
    );
  } finally {
    await provider.stop();
  }
}
