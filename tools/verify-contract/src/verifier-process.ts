/**
 * One verification, as a process of its own: Pact's verifier is compiled and writes to standard output by itself, so
 * that only a process can keep what it prints apart. `verification.ts` starts it and sends the options; this asks
 * there for every state and every message. Exit codes: 0 all contracts are kept, 1 some are broken, 2 they were not verified.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Verifier, type VerifierOptions } from '@pact-foundation/pact';
import type { Reply } from './provider-states.js';

// pact-core reads these by itself, and would add the broker where a test names other contracts.
for (const name of Object.keys(process.env)) if (name.startsWith('PACT_BROKER_')) delete process.env[name];

type Request = IncomingMessage & { path: string; body: unknown };

/**
 * pact-js has `stateHandlers` and `messageProviders` for this, but says that all is well when a state has no handler or
 * its handler fails, and asks for messages by their descriptions. Here both faults fail the interaction, and a message
 * is that of the state. The verifier asks for one thing at a time.
 */
function askParent(request: Request, response: ServerResponse, next: () => void): void {
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
    requestFilter: askParent,
  }).verifyProvider();
  process.exitCode = 0;
} catch (error) {
  const { message, stack } = error as Error;
  // The verifier's own word for it, as it spells it.
  const isBroken = /^Ver\w+ failed$/.test(message);
  if (!isBroken) process.stderr.write(`${stack}\n`);
  process.exitCode = isBroken ? 1 : 2;
} finally {
  process.disconnect();
}
