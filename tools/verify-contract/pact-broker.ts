import * as z from 'zod';
import { type Contract, contractOf } from './contract.js';
import { Hal, link, type Resource } from './hal.js';
import type { ProviderVersion } from './provider-version.js';

/** Links of a pact that Pact's verifier follows. */
const FOLLOWED = ['pb:provider', 'pb:publish-verification-results'];

const selection = z.object({
  _embedded: z.object({
    pacts: z.array(
      z.object({
        verificationProperties: z.object({ pending: z.boolean().optional() }).optional(),
        _links: z.object({ self: link }),
      }),
    ),
  }),
});

export interface BrokerPact {
  /** A name for people. */
  readonly name: string;
  readonly contract: Contract;
  /** Whether the pact may be broken, since no version of the provider on this branch has kept it yet. */
  readonly isPending: boolean;
  readonly resource: Resource;
}

interface BrokerResult {
  readonly url: string | undefined;
  readonly version: unknown;
}

/**
 * What Pact's verifier does not do with a Pact Broker: name the pacts that it verifies, check that nothing leads away
 * from the broker, and that results arrived.
 */
export class PactBroker {
  private readonly hal: Hal;
  private index: Promise<Resource> | undefined;

  /** @param authorization the value of the `Authorization` header, which only the origin of `baseUrl` gets */
  constructor(
    private readonly baseUrl: string,
    authorization: string | undefined,
  ) {
    this.hal = new Hal(baseUrl, authorization);
  }

  /**
   * @param asked the body of the request (docs.pact.io, "Consumer Version Selectors")
   * @returns the pacts of a provider that matter; none if the broker does not know the provider
   */
  async select(provider: string, asked: object): Promise<BrokerPact[]> {
    const url = await this.fromIndex('pb:provider-pacts-for-verification', { provider });
    const found = await this.hal.find(url, 'POST', asked);
    if (found === undefined) return [];
    const { data } = selection.safeParse(found);
    if (data === undefined) throw new Error(`${url} does not list pacts as a Pact Broker does.`);
    const pacts: BrokerPact[] = [];
    for (const { _links: links, verificationProperties } of data['_embedded'].pacts) {
      pacts.push({ ...(await this.pactAt(links.self.href)), isPending: verificationProperties?.pending === true });
    }
    return pacts;
  }

  async pactAt(url: string): Promise<BrokerPact> {
    const resource = await this.hal.read(url);
    for (const name of FOLLOWED) if (name in resource['_links']) this.hal.targetOf(resource, name);
    const { data: self } = link.safeParse(resource['_links']['self']);
    return { name: self?.name ?? url, contract: contractOf(resource, url), isPending: false, resource };
  }

  /** Registers a version of a provider on a branch: `can-i-deploy` needs it even if nothing is verified. */
  async register(provider: string, { version, branch }: ProviderVersion): Promise<void> {
    const values = { pacticipant: provider, version, branch };
    await this.hal.read(await this.fromIndex('pb:pacticipant-branch-version', values), 'PUT', {});
  }

  /** The latest result of a pact; undefined if it has none. */
  async latestResult({ resource }: BrokerPact): Promise<BrokerResult | undefined> {
    const found = await this.hal.find(this.hal.targetOf(resource, 'pb:latest-verification-results'));
    if (found === undefined) return undefined;
    const { data: self } = link.safeParse(found['_links']['self']);
    return { url: self?.href, version: found['providerApplicationVersion'] };
  }

  /**
   * @param before the latest result before the verification
   * @throws Error unless there is a later one, of this version: Pact's verifier only logs that it was not taken
   */
  async expectPublished(pact: BrokerPact, { version }: ProviderVersion, before?: BrokerResult): Promise<void> {
    const latest = await this.latestResult(pact);
    if (latest?.version === version && latest.url !== before?.url) return;
    throw new Error(`${pact.name}: the broker has no new result of version ${version}, see above.`);
  }

  private async fromIndex(name: string, values: Record<string, string>): Promise<string> {
    this.index ??= this.hal.read(this.baseUrl);
    const target = this.hal.targetOf(await this.index, name);
    return target.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ''));
  }
}
