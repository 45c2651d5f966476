import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { VerifierOptions } from '@pact-foundation/pact';
import type { BookingsProvider } from './bookings-provider.js';
import { localPacts } from './local-pacts.js';
import { pactSource } from './pact-source.js';
import { changeState, type StateChange } from './state-changes.js';

/** The contracts that this run is asked to verify. */
export const askedFor = pactSource({ ...process.env }, localPacts);

/** What {@link verify} throws when the service breaks a contract. */
export const BROKEN = /^A contract is broken/;

const program = fileURLToPath(new URL('verifier-process.js', import.meta.url));

/**
 * Holds the service against contracts.
 *
 * @param options say which, and whatever else the verifier takes
 * @returns what the verifier printed
 * @throws Error {@link BROKEN}, with what the verifier printed, when the service breaks one that is not pending
 */
export async function verify(provider: BookingsProvider, options: Partial<VerifierOptions>): Promise<string> {
  const providerBaseUrl = await provider.start();
  const verifier = fork(program, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let printed = '';
  for (const output of [verifier.stdout!, verifier.stderr!]) {
    output.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  }
  verifier.on('message', (change: StateChange) => {
    void changeState(change, provider.stateHandlers).then((reply) => verifier.send(reply));
  });
  verifier.send({ provider: 'bookings-service', providerBaseUrl, logLevel: 'error', ...options });
  try {
    const [code] = (await once(verifier, 'close')) as [number | null];
    if (code === 0) return printed;
    throw new Error(`${code === 1 ? 'A contract is broken' : 'The contracts were not verified'}:\n${printed}`);
  } finally {
    await provider.stop();
  }
}
