import type { VerifierOptions } from '@pact-foundation/pact';
import { BrokerChecks, type BrokerPact } from './broker-checks.js';
import { PROVIDERS } from './contract.js';
import { type Environment, isHttp, type Options, type Surroundings } from './options.js';
import { branchOf, type ProviderVersion, versionOf } from './provider-version.js';

/** The pacts that matter to a provider (docs.pact.io, "Consumer Version Selectors"). */
const SELECTORS = [{ mainBranch: true }, { matchingBranch: true }, { deployedOrReleased: true }];

/** Days for which a pact from another branch counts as work in progress. After that, it counts as abandoned. */
const DAYS_IN_PROGRESS = 90;

/** The pacts of a provider, and the options with which Pact's verifier finds them. */
interface Selection {
  readonly provider: string;
  readonly pacts: readonly BrokerPact[];
  readonly source: VerifierOptions;
}

/**
 * Verifies the service against one pact in a Pact Broker, or against all that matter, and publishes the results if
 * asked to.
 *
 * @returns whether the service keeps the contracts, apart from those that are pending
 * @throws Error if the broker cannot be reached, refuses access, leads elsewhere, has no pact, or has no result
 * afterwards
 */
export async function verifyFromBroker(options: Options, surroundings: Surroundings): Promise<boolean> {
  const { env, stdout, withService } = surroundings;
  const baseUrl = baseUrlOf(options, env);
  const credentials = credentialsOf(env);
  const broker = new BrokerChecks(baseUrl, authorizationOf(credentials));
  const version = options.publish ? versionOf(options, env) : undefined;
  const selections =
    options.url === undefined
      ? await selectionsOf(broker, baseUrl, branchOf(options, env))
      : [await selectionOf(broker, options.url)];
  stdout.write(`From ${baseUrl}:\n`);
  for (const { name, isPending } of selections.flatMap(({ pacts }) => pacts)) {
    stdout.write(`- ${name}${isPending ? ', which is pending' : ''}\n`);
  }
  const isKept = await withService(async (service) => {
    let areKept = true;
    for (const { provider, pacts, source } of selections) {
      if (pacts.length === 0) {
        if (version !== undefined) await broker.register(provider, version);
        continue;
      }
      const contracts = pacts.map(({ contract }) => contract);
      if (!(await service.keeps(contracts, { ...credentials, ...source, ...publicationOf(version) }))) areKept = false;
      if (version !== undefined) for (const pact of pacts) await broker.expectPublished(pact, version);
    }
    return areKept;
  });
  const published = version && `Published for version ${version.version} of branch ${version.branch}.`;
  stdout.write(`${published ?? 'Nothing was published: see --publish.'}\n`);
  return isKept;
}

async function selectionOf(broker: BrokerChecks, url: string): Promise<Selection> {
  const pact = await broker.pactAt(url);
  return { provider: pact.contract.provider.name, pacts: [pact], source: { pactUrls: [url] } };
}

/** For each provider, the pacts that matter to a branch. */
async function selectionsOf(broker: BrokerChecks, baseUrl: string, branch: string): Promise<Selection[]> {
  const begin = new Date(Date.now() - DAYS_IN_PROGRESS * 86_400_000).toISOString().slice(0, 10);
  const asked = { consumerVersionSelectors: SELECTORS, includeWipPactsSince: begin, providerVersionBranch: branch };
  const selections: Selection[] = [];
  for (const provider of PROVIDERS) {
    const pacts = await broker.select(provider, { ...asked, includePendingStatus: true });
    selections.push({ provider, pacts, source: { ...asked, enablePending: true, pactBrokerUrl: baseUrl } });
  }
  if (selections.some(({ pacts }) => pacts.length > 0)) return selections;
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
