import * as z from 'zod';
import { PROVIDERS } from './contract.js';
import { HalClient, type Resource, StatusError, targetOf } from './hal-client.js';
import type { Environment } from './pipeline.js';

/** The pacts that matter to a provider (docs.pact.io, "Consumer Version Selectors"). */
const SELECTORS = [{ mainBranch: true }, { matchingBranch: true }, { deployedOrReleased: true }];

/** Days for which a pact from another branch counts as work in progress. After that, it counts as abandoned. */
const DAYS_IN_PROGRESS = 90;

const notice = z.object({ text: z.string(), when: z.string().default('before_verification') });
const properties = z.object({ pending: z.boolean().default(false), notices: z.array(notice).default([]) });
const entry = z.object({
  verificationProperties: properties.default({ pending: false, notices: [] }),
  _links: z.object({ self: z.object({ href: z.string(), name: z.string().optional() }) }),
});
const pactsForVerification = z.object({ _embedded: z.object({ pacts: z.array(entry) }) });
const pact = z.object({ consumer: z.object({ name: z.string() }), provider: z.object({ name: z.string() }) });

export interface BrokerPact {
  /** A name for people. */
  readonly name: string;
  readonly provider: string;
  readonly resource: Resource;
  /** Whether the pact may be broken, since no version of the provider on this branch has kept it yet. */
  readonly isPending: boolean;
  /** Messages of the broker, and the moments to print them. */
  readonly notices: readonly z.output<typeof notice>[];
}

/** The version of the provider for which a result is published. */
export interface ProviderVersion {
  readonly version: string;
  readonly branch: string;
  /** The URL of the pipeline's run. */
  readonly buildUrl: string | undefined;
}

/** The broker has not accepted a version or a result. */
export class NotPublished extends Error {}

export class Broker {
  private readonly client: HalClient;

  /** @param env has `PACT_BROKER_TOKEN`, or `PACT_BROKER_USERNAME` and `PACT_BROKER_PASSWORD`, if needed */
  constructor(
    readonly baseUrl: string,
    env: Environment,
  ) {
    this.client = new HalClient(authorizationOf(env));
  }

  /** @returns the pacts that matter to a provider on a branch; none if the broker does not know the provider */
  async pactsOf(provider: string, branch: string): Promise<BrokerPact[]> {
    const index = await this.client.read(this.baseUrl);
    const url = targetOf(index, 'pb:provider-pacts-for-verification', { provider });
    const begin = new Date(Date.now() - DAYS_IN_PROGRESS * 86_400_000);
    const asked = {
      consumerVersionSelectors: SELECTORS,
      includePendingStatus: true,
      includeWipPactsSince: begin.toISOString().slice(0, 10),
      providerVersionBranch: branch,
    };
    const response = await this.client.read(url, 'POST', asked).catch((error: unknown) => {
      if (error instanceof StatusError && error.status === 404) return undefined;
      throw error;
    });
    if (response === undefined) return [];
    const { data, error } = pactsForVerification.safeParse(response.document);
    if (error !== undefined) throw new Error(`${url} does not list pacts as a Pact Broker does.`);
    const pacts: BrokerPact[] = [];
    for (const { _links: links, verificationProperties } of data['_embedded'].pacts) {
      const { href, name } = links.self;
      const found = await this.pactAt(href, [provider]);
      const { pending, notices } = verificationProperties;
      pacts.push({ ...found, name: name ?? found.name, isPending: pending, notices });
    }
    return pacts;
  }

  /** @throws Error if the pact is not with one of these providers */
  async pactAt(url: string, providers: readonly string[] = PROVIDERS): Promise<BrokerPact> {
    const resource = await this.client.read(url);
    const { data } = pact.safeParse(resource.document);
    if (data === undefined) throw new Error(`${url} is not a pact.`);
    const { consumer, provider } = data;
    if (!providers.includes(provider.name)) {
      throw new Error(`${url} is a pact of the provider "${provider.name}", not of ${providers.join(' or ')}.`);
    }
    const name = `Pact between ${consumer.name} and ${provider.name}`;
    return { name, provider: provider.name, resource, isPending: false, notices: [] };
  }

  /**
   * Registers a version of a provider on a branch: `can-i-deploy` needs it even if nothing is verified.
   *
   * @throws NotPublished
   */
  async register(provider: string, { version, branch }: ProviderVersion): Promise<void> {
    await written(async () => {
      const values = { pacticipant: provider, version, branch };
      const index = await this.client.read(this.baseUrl);
      await this.client.send(targetOf(index, 'pb:pacticipant-branch-version', values), 'PUT', {});
    });
  }

  /** @throws NotPublished */
  async publish({ resource }: BrokerPact, isKept: boolean, { version, buildUrl }: ProviderVersion): Promise<void> {
    await written(async () => {
      const result = { success: isKept, providerApplicationVersion: version, buildUrl };
      await this.client.send(targetOf(resource, 'pb:publish-verification-results'), 'POST', result);
    });
  }
}

async function written(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new NotPublished((error as Error).message, { cause: error });
  }
}

function authorizationOf(env: Environment): string | undefined {
  const { PACT_BROKER_TOKEN: token, PACT_BROKER_USERNAME: username, PACT_BROKER_PASSWORD: password = '' } = env;
  if (token) return `Bearer ${token}`;
  return username ? `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` : undefined;
}
