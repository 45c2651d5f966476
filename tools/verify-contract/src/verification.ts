import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { VerifierOptions } from '@pact-foundation/pact';
import {
  changeState,
  type MessageRequest,
  type MessageSource,
  readMessage,
  type StateChange,
  type StateHandlers,
} from './provider-states.js';

const program = fileURLToPath(new URL('verifier-process.js', import.meta.url));

export interface Verification {
  outcome: 'kept' | 'broken' | 'not verified';
  /** What the verifier printed. */
  printed: string;
  /** Why the provider could not be put into a state, or had no message in it. */
  faults: readonly { state: string; params: unknown; fault: string }[];
}

/**
 * Verifies a running provider against contracts.
 *
 * @param options its URL, which contracts, and any other option of the verifier; `provider` defaults to
 *   `bookings-service`
 * @param message of a provider of messages: the message of its last state
 */
export async function runVerifier(
  options: Partial<VerifierOptions> & { providerBaseUrl: string },
  handlers: StateHandlers,
  message?: MessageSource,
): Promise<Verification> {
  const verifier = fork(program, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const faults: { state: string; params: unknown; fault: string }[] = [];
  let printed = '';
  for (const output of [verifier.stdout!, verifier.stderr!]) {
    output.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  }
  let last: StateChange['action'] | undefined;
  let current: StateChange | undefined;
  let hasTwoStates = false;
  const onFault = (fault: string) => {
    faults.push({ state: current?.state ?? '', params: current?.params, fault });
  };
  verifier.on('message', (request: StateChange | MessageRequest) => {
    if (request.action === 'setup') current = request;
    // Those of an interaction are torn down together.
    if (request.action === 'teardown' && last === 'teardown') hasTwoStates = true;
    if (request.action !== 'message') last = request.action;
    const reply =
      request.action === 'message' ? readMessage(message, onFault) : changeState(request, handlers, onFault);
    void reply.then((each) => verifier.send(each));
  });
  verifier.send({ provider: 'bookings-service', logLevel: 'error', ...options });
  const [code] = (await once(verifier, 'close')) as [number | null];
  if (hasTwoStates) printed += 'An interaction names two states. Each is all that there is: name one.\n';
  // A verifier that requested no state compared no interaction.
  const isVerified = (current !== undefined || options.failIfNoPactsFound === false) && !hasTwoStates;
  const outcome = code === 0 && isVerified ? 'kept' : code === 1 ? 'broken' : 'not verified';
  return { outcome, printed, faults };
}
