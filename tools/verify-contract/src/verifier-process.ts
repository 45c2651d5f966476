/**
 * One verification, in a separate process: Pact's verifier is native and writes to standard output directly, so that
 * only a process can capture what it prints. `verification.ts` starts it and sends the options; this process requests
 * every state and every message from there. Exit codes: 0 all contracts are kept, 1 some are broken, 2 they were not verified.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Verifier, type VerifierOptions } from '@pact-foundation/pact';
import type { Reply } from './provider-states.js';

// pact-core reads these variables directly. It would add the broker where a test names other contracts, and leave out
// interactions by their description or state.
for (const name of Object.keys(process.env)) {
  if (/^PACT_(?:BROKER_|DESCRIPTION$|PROVIDER_)/.test(name)) delete process.env[name];
}

type Request = IncomingMessage & { path: string; body: unknown };

/**
 * pact-js has `stateHandlers` and `messageProviders` for this, but reports success when a state has no handler or
 * its handler fails, and requests messages by their descriptions. Here both faults fail the interaction, and the
 * message is that of the state. The verifier sends one request at a time.
 */
function requestFromParent(request: Request, response: ServerResponse, next: () => void): void {
  const isMessage = request.path === '/_messages';
  if (!isMessage && request.path !== '/_pactSetup') {
    next();
    return;
  }
  process.once('message', ({ status, body }: Reply) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  process.send!(isMessage ? { action: 'message' } : request.body);
}

const [options] = (await once(process, 'message')) as [VerifierOptions];
try {
  await new Verifier({
    ...options,
    requestFilter: requestFromParent,
  }).verifyProvider();
  process.exitCode = 0;
} catch (error) {
  const { message, stack } = error as Error;
  // The verifier's message, in its own spelling.
  const isBroken = /^Ver\w+ failed$/.test(message);
  if (!isBroken) process.stderr.write(`${stack}\n`);
  process.exitCode = isBroken ? 1 : 2;
} finally {
  process.disconnect();
}
