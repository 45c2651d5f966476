/**
 * One verification, as a process of its own: Pact's verifier is compiled and writes to standard output by itself, so
 * that only a process can keep what it prints apart. `verify.ts` starts it and sends the options; this asks there for
 * every state. Exit codes: 0 all contracts are kept, 1 some are broken, 2 they were not verified.
 */
import { once } from 'node:events';
import { Verifier } from '@pact-foundation/pact';

// pact-core reads these by itself, and would add the broker where a test names other contracts.
for (const name of Object.keys(process.env)) if (name.startsWith('PACT_BROKER_')) delete process.env[name];

/**
 * pact-js has `stateHandlers` for this, but says that all is well when a state has no handler or its handler fails.
 * Here both fail the interaction. The verifier asks for one state at a time.
 */
function askForStates(request, response, next) {
  if (request.path !== '/_pactSetup') {
    next();
    return;
  }
  process.once('message', ({ status, body }) => response.status(status).json(body));
  process.send(request.body);
}

const [options] = await once(process, 'message');
try {
  await new Verifier({ ...options, requestFilter: askForStates }).verifyProvider();
  process.exitCode = 0;
} catch (error) {
  // The verifier's own word for it, as it spells it.
  const isBroken = /^Ver\w+ failed$/.test(error.message);
  if (!isBroken) process.stderr.write(`${error.stack}\n`);
  process.exitCode = isBroken ? 1 : 2;
} finally {
  process.disconnect();
}
