import type { VerifierOptions } from '@pact-foundation/pact';
import { PROVIDERS } from './contract.js';
import { type Environment, isHttp, type Options, type Surroundings } from './options.js';
import { type BrokerPact, PactBroker } from './pact-broker.js';
import { branchOf, type ProviderVersion, versionOf } from './provider-version.js';
import type { ServiceUnderContract } from './service-under-contract.js';

/** The pacts that matter to a provider (docs.pact.io, "Consumer Version Selectors"). */
const SELECTORS = [{ mainBranch: true }, { matchingBranch: true }, { deployedOrReleased: true }];

/** Days for which a pact from another branch counts as work in progress. After that, it counts as abandoned. */
const DAYS_IN_PROGRESS = 90;

/**
 * Verifies the service against one pact in a Pact Broker, or against all that matter, and publishes the results if
 * asked to.
 *
 * @returns whether the service keeps the contracts, apart from those that are pending
 * @throws Error if the broker cannot be reached, refuses access, leads elsewhere, has no pact, or has no new
 * result afterwards
 */
export async function verifyFromBroker(options: Options, surroundings: Surroundings): Promise<boolean> {
  const { env, stdout, withService } = surroundings;
  const baseUrl = baseUrlOf(options, env);
  const credentials = credentialsOf(env);
  const broker = new PactBroker(baseUrl, authorizationOf(credentials));
  const version = options.publish ? versionOf(options, env) : undefined;
  const pacts =
    options.url === undefined
      ? await pactsFor(branchOf(options, env), broker, baseUrl)
      : [await broker.pactAt(options.url)];
  stdout.write(`From ${baseUrl}:\n`);
  for (const { name, isPending } of pacts) stdout.write(`- ${name}${isPending ? ', which is pending' : ''}\n`);
  const verify = async (pact: BrokerPact, service: ServiceUnderContract): Promise<boolean> => {
    const source = { ...credentials, ...publicationOf(version), pactUrls: [pact.resource.url] };
    const before = version && (await broker.latestResult(pact));
    const isKept = await service.keeps(pact, source);
    if (version !== undefined) await broker.expectPublished(pact, version, before);
    if (!isKept && pact.isPending) stdout.write(`${pact.name} is pending, so it breaks nothing.\n`);
    return isKept || pact.isPending;
  };
  const areKept = await withService((service) => verifyEach(pacts, (pact) => verify(pact, service)));
  if (version !== undefined && options.url === undefined) {
    const without = PROVIDERS.filter((name) => pacts.every(({ contract }) => contract.provider.name !== name));
    for (const provider of without) await broker.register(provider, version);
  }
  const published = version && `Published for version ${version.version} of branch ${version.branch}.`;
  stdout.write(`${published ?? 'Nothing was published: see --publish.'}\n`);
  return areKept;
}

/** Verifies each pact, even if another one cannot be verified. @throws Error with what could not be verified */
async function verifyEach(
  pacts: readonly BrokerPact[],
  verify: (pact: BrokerPact) => Promise<boolean>,
): Promise<boolean> {
  const results: boolean[] = [];
  const faults: string[] = [];
  for (const pact of pacts) {
    try {
      results.push(await verify(pact));
    } catch (error) {
      faults.push((error as Error).message);
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return results.every(Boolean);
}

/** The pacts of both providers that matter to a branch. */
async function pactsFor(branch: string, broker: PactBroker, baseUrl: string): Promise<BrokerPact[]> {
  const begin = new Date(Date.now() - DAYS_IN_PROGRESS * 86_400_000).toISOString().slice(0, 10);
  const asked = {
    consumerVersionSelectors: SELECTORS,
    includePendingStatus: true,
    includeWipPactsSince: begin,
    providerVersionBranch: branch,
  };
  const pacts: BrokerPact[] = [];
  for (const provider of PROVIDERS) pacts.push(...(await broker.select(provider, asked)));
  if (pacts.length > 0) return pacts;
  throw new Error(
    `${baseUrl} has no pact of ${PROVIDERS.join(' or ')} that matters to branch ${branch}: none of a main branch, ` +
      'of the same branch, deployed, released or new. Publish one first (docs/contracts.md, section 4).',
  );
}

function baseUrlOf({ url }: Options, env: Environment): string {
  const { PACT_BROKER_BASE_URL: given } = env;
  if (!given && url === undefined) throw new Error('Give a FILE or a URL, or set PACT_BROKER_BASE_URL.');
  const baseUrl = given || new URL(url!).origin;
  if (!isHttp(baseUrl)) throw new Error('PACT_BROKER_BASE_URL is not an HTTP or HTTPS URL.');
  for (const { username, password } of [new URL(baseUrl), new URL(url ?? baseUrl)]) {
    if (username + password !== '') throw new Error('Leave credentials out of URLs: set PACT_BROKER_TOKEN.');
  }
  return baseUrl;
}

type Credentials = Pick<VerifierOptions, 'pactBrokerToken' | 'pactBrokerUsername' | 'pactBrokerPassword'>;

/** Without those that are not given: an option that is undefined makes Pact's verifier verify nothing. */
function credentialsOf(env: Environment): Credentials {
  const { PACT_BROKER_TOKEN: token, PACT_BROKER_USERNAME: username, PACT_BROKER_PASSWORD: password } = env;
  if (token) return { pactBrokerToken: token };
  if (!username) return {};
  if (!password) throw new Error('PACT_BROKER_USERNAME needs PACT_BROKER_PASSWORD.');
  return { pactBrokerUsername: username, pactBrokerPassword: password };
}

function authorizationOf(credentials: Credentials): string | undefined {
  const { pactBrokerToken: token, pactBrokerUsername: username, pactBrokerPassword: password } = credentials;
  if (token !== undefined) return `Bearer ${token}`;
  return username && `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function publicationOf(version: ProviderVersion | undefined): VerifierOptions {
  if (version === undefined) return {};
  return {
    publishVerificationResult: true,
    providerVersion: version.version,
    providerVersionBranch: version.branch,
    ...(version.buildUrl !== undefined && { buildUrl: version.buildUrl }),
  };
}
