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
  /** Why the provider could not be put into a state, by its name. */
  stateFaults: ReadonlyMap<string, string>;
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
  const stateFaults = new Map<string, string>();
  let printed = '';
  for (const output of [verifier.stdout!, verifier.stderr!]) {
    output.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  }
  const onFault = (state: string, fault: string) => void stateFaults.set(state, fault);
  let lastState = '';
  verifier.on('message', (request: StateChange | MessageRequest) => {
    if (request.action === 'setup') lastState = request.state;
    const reply =
      request.action === 'message'
        ? readMessage(message, (fault) => onFault(lastState, fault))
        : changeState(request, handlers, onFault);
    void reply.then((each) => verifier.send(each));
  });
  verifier.send({ provider: 'bookings-service', logLevel: 'error', ...options });
  const [code] = (await once(verifier, 'close')) as [number | null];
  const outcome = code === 0 ? 'kept' : code === 1 ? 'broken' : 'not verified';
  return { outcome, printed, stateFaults };
}
