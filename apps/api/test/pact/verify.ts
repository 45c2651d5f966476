import type { VerifierOptions } from '@pact-foundation/pact';
import { type EventsProcess, runVerifier, type Verification } from 'verify-contract';
import type { BookingsProvider } from './bookings-provider.js';

/** What {@link verify} throws when the service breaks a contract. */
export const BROKEN = /^A contract is broken/;

/**
 * Verifies the service against contracts.
 *
 * @param options which contracts, and any other option of the verifier
 * @returns what the verifier printed
 * @throws Error {@link BROKEN}, with what the verifier printed, when the service breaks one that is not pending
 */
export async function verify(provider: BookingsProvider, options: Partial<VerifierOptions>): Promise<string> {
  const providerBaseUrl = await provider.start();
  try {
    return printedBy(await runVerifier({ providerBaseUrl, ...options }, provider.stateHandlers));
  } finally {
    await provider.stop();
  }
}

/** Verifies the events of the service, as {@link verify} does its responses. */
export async function verifyEvents(provider: EventsProcess, options: Partial<VerifierOptions>): Promise<string> {
  const named = {
    provider: 'bookings-service-events',
    providerBaseUrl: provider.url,
    ...options,
  };
  try {
    return printedBy(await runVerifier(named, provider.stateHandlers, provider.event));
  } finally {
    await provider.stop();
  }
}

function printedBy({ outcome, printed, faults }: Verification): string {
  if (outcome === 'kept') return printed;
  const fault = outcome === 'broken' ? 'A contract is broken' : 'The contracts were not verified';
  throw new Error([`${fault}:`, printed, ...faults.map((each) => each.fault)].join('\n'));
}
