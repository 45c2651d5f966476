import { Verifier } from '@pact-foundation/pact';
import { type Contract, providers } from './contract.js';
import { Endpoint } from './events.js';
import { Provider, type ProviderOptions } from './provider.js';

/** Pact's verifier reads these itself: a broker, and which interactions it leaves out. */
const FILTERS = /^PACT_(?:BROKER_|DESCRIPTION$|PROVIDER_)/;

/**
 * Verifies the built service against a contract. Pact's verifier prints what holds and what does not.
 *
 * @returns whether the service keeps it, apart from what is pending
 * @throws Error if not all of it could be verified
 */
export async function verify(contract: Contract, options: ProviderOptions): Promise<boolean> {
  for (const name of Object.keys(process.env)) if (FILTERS.test(name)) delete process.env[name];
  const endpoint = contract.provider === providers.events ? await Endpoint.start() : undefined;
  let provider: Provider | undefined;
  try {
    provider = await Provider.start({ ...options, settings: { ...endpoint?.settings, ...options.settings } });
    const message = async (): Promise<object> => endpoint!.event(provider!.eventId);
    const isKept = await new Verifier({
      provider: contract.provider,
      providerBaseUrl: provider.url,
      pactUrls: [contract.path],
      logLevel: 'error',
      stateHandlers: provider.stateHandlers,
      ...(endpoint && { messageProviders: Object.fromEntries(contract.descriptions.map((each) => [each, message])) }),
      ...(options.headers && { customProviderHeaders: options.headers }),
    })
      .verifyProvider()
      .then(() => true, isBroken);
    if (provider.faults.length > 0) throw new Error(provider.faults.join('\n'));
    const [{ entered }, { length }] = [provider, contract.descriptions];
    if (entered !== length) throw new Error(`The verifier compared ${entered} of ${length} interactions.`);
    return isKept;
  } finally {
    await provider?.stop();
    await endpoint?.stop();
  }
}

/** @returns false for a contract that is broken @throws the error, if it is another one */
function isBroken(error: Error): false {
  // The verifier's message, in its own spelling.
  if (/^Ver\w+ failed$/.test(error.message)) return false;
  throw error;
}
