import { broken, events, free, pact } from './pacts.js';
import { StandInBroker, TOKEN } from './stand-in-broker.js';
import { type Ran, type Variables, verifyContract } from './verify-contract.js';

export const broker = await StandInBroker.start();
afterAll(() => broker.stop());

/** Runs the command with the variables of the broker. Its output never contains the token. */
export async function verifyFrom(args: string[], given: Variables = {}): Promise<Ran> {
  const ran = await verifyContract(args, { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: TOKEN, ...given });
  expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
  return ran;
}

export const ON_BRANCH = ['--provider-branch', 'main'];
export const PUBLISH = ['--publish', '--provider-version', 'abc123', '--provider-branch', 'feat/new'];

export const onlyFree = { ...pact, interactions: [free] };
export const onlyBroken = { ...pact, interactions: [broken] };
export const oneEvent = { ...events, interactions: events.interactions.slice(0, 1) };
