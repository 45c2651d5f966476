import { Broker, type BrokerPact, type ProviderVersion } from './broker.js';
import { PROVIDERS } from './contract.js';
import { isHttp, type Options, UsageError } from './options.js';
import { branch, buildUrl, commit, type Environment } from './pipeline.js';
import type { ServiceUnderContract } from './service-under-contract.js';

type Output = Pick<NodeJS.WritableStream, 'write'>;

/** The surroundings of verification: variables, output, and a service. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Runs a service while `use` is under way. */
  readonly withService: <Result>(use: (service: ServiceUnderContract) => Promise<Result>) => Promise<Result>;
}

interface Result {
  readonly pact: BrokerPact;
  readonly verdict: 'kept' | 'broken' | 'not verified';
  /** The reason why the pact was not verified. */
  readonly fault?: string;
}

/**
 * Verifies the service against one pact in a Pact Broker, or against all that matter, prints the results and, if asked
 * to, publishes them.
 *
 * @returns the exit code
 * @throws Error if the broker cannot be reached, refuses access, has no pact, or does not accept a result
 */
export async function verifyFromBroker(options: Options, surroundings: Surroundings): Promise<number> {
  const { env, stdout, withService } = surroundings;
  const broker = brokerOf(options, env);
  const version = options.publish ? versionOf(options, env) : undefined;
  const pacts = await pactsOf(broker, options, surroundings);
  if (version !== undefined) {
    const providers = options.pact === undefined ? PROVIDERS : [pacts[0]!.provider];
    for (const provider of providers) await broker.register(provider, version);
  }
  const results = await withService(async (service) => {
    const verified: Result[] = [];
    for (const pact of pacts) {
      say(pact, 'before_verification', stdout);
      const result = await verifiedBy(service, pact);
      const isKept = result.verdict === 'kept';
      // A pact that could not be verified counts as broken.
      if (version !== undefined) await broker.publish(pact, isKept, version);
      say(pact, `after_verification:success_${isKept}_published_${version !== undefined}`, stdout);
      verified.push(result);
    }
    return verified;
  });
  print(results, version, stdout);
  return exitCodeOf(results);
}

function brokerOf({ pact }: Options, env: Environment): Broker {
  const { PACT_BROKER_BASE_URL: given } = env;
  if (!given && pact === undefined) throw new UsageError('Give a FILE or a URL, or set PACT_BROKER_BASE_URL.');
  const baseUrl = given || new URL(pact!).origin;
  if (!isHttp(baseUrl)) throw new Error('PACT_BROKER_BASE_URL is not an HTTP or HTTPS URL.');
  const { origin } = new URL(baseUrl);
  // Another server must not get the token.
  if (pact !== undefined && new URL(pact).origin !== origin) {
    throw new Error(`${new URL(pact).origin} is not the broker of PACT_BROKER_BASE_URL, ${origin}.`);
  }
  return new Broker(baseUrl, env);
}

function versionOf(options: Options, env: Environment): ProviderVersion {
  return {
    version: options.version ?? commit(),
    branch: options.branch ?? branch(env),
    buildUrl: buildUrl(env),
  };
}

async function pactsOf(
  broker: Broker,
  options: Options,
  { env, stdout }: Pick<Surroundings, 'env' | 'stdout'>,
): Promise<BrokerPact[]> {
  if (options.pact !== undefined) return [await broker.pactAt(options.pact)];
  const ofBranch = options.branch ?? branch(env);
  const pacts: BrokerPact[] = [];
  for (const provider of PROVIDERS) pacts.push(...(await broker.pactsOf(provider, ofBranch)));
  if (pacts.length > 0) {
    stdout.write(`Of ${broker.baseUrl}, these matter to branch ${ofBranch}:\n`);
    for (const { name } of pacts) stdout.write(`- ${name}\n`);
    stdout.write('\n');
    return pacts;
  }
  throw new Error(
    `${broker.baseUrl} has no pact of ${PROVIDERS.join(' or ')} that matters to branch ${ofBranch}: none of a main ` +
      'branch, of the same branch, deployed, released or new. Publish one first (docs/contracts.md, section 4).',
  );
}

async function verifiedBy(service: ServiceUnderContract, pact: BrokerPact): Promise<Result> {
  try {
    const isKept = await service.keeps(pact.resource.document);
    return { pact, verdict: isKept ? 'kept' : 'broken' };
  } catch (error) {
    return { pact, verdict: 'not verified', fault: (error as Error).message };
  }
}

function say({ notices }: BrokerPact, moment: string, stdout: Output): void {
  for (const { text, when } of notices) if (when === moment) stdout.write(`${text}\n`);
}

function print(results: readonly Result[], version: ProviderVersion | undefined, stdout: Output): void {
  stdout.write('\n');
  for (const { pact, verdict, fault } of results) {
    const pending = pact.isPending ? ', which is pending' : '';
    const reason = fault === undefined ? '' : `: ${fault}`;
    stdout.write(`${pact.name}${pending}: ${verdict}${reason}\n`);
  }
  const published = version && `Published for version ${version.version} of branch ${version.branch}.`;
  stdout.write(`${published ?? 'Nothing was published: see --publish.'}\n`);
}

/** Broken pacts fail the run, unless they are pending. */
function exitCodeOf(results: readonly Result[]): number {
  const verdicts = new Set(results.map(({ pact, verdict }) => (pact.isPending ? 'kept' : verdict)));
  if (verdicts.has('not verified')) return 2;
  return verdicts.has('broken') ? 1 : 0;
}
