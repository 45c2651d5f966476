import * as z from 'zod';
import { type Contract, contractOf } from './contract.js';
import type { ProviderVersion } from './provider-version.js';

/** Maximum milliseconds of a request. */
const TIMEOUT = 30_000;

/** Links of a pact that Pact's verifier follows. */
const FOLLOWED = ['pb:provider', 'pb:publish-verification-results'];

const link = z.object({ href: z.string(), name: z.string().optional() });
const document = z.looseObject({ _links: z.record(z.string(), z.unknown()).default({}) });
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

/** A HAL document (draft-kelly-json-hal). */
type Resource = z.output<typeof document> & { readonly url: string };

export interface BrokerPact {
  /** A name for people. */
  readonly name: string;
  readonly contract: Contract;
  /** Whether the pact may be broken, since no version of the provider on this branch has kept it yet. */
  readonly isPending: boolean;
  readonly resource: Resource;
}

/**
 * What Pact's verifier does not do with a Pact Broker: name the pacts that it verifies, check that nothing leads away
 * from the broker, and that results arrived. The message of an error is one line, and never contains a credential.
 */
export class PactBroker {
  private index: Promise<Resource> | undefined;

  /** @param authorization the value of the `Authorization` header, which only the origin of `baseUrl` gets */
  constructor(
    private readonly baseUrl: string,
    private readonly authorization: string | undefined,
  ) {}

  /**
   * @param asked the body of the request (docs.pact.io, "Consumer Version Selectors")
   * @returns the pacts of a provider that matter; none if the broker does not know the provider
   */
  async select(provider: string, asked: object): Promise<BrokerPact[]> {
    const url = await this.fromIndex('pb:provider-pacts-for-verification', { provider });
    const found = await this.find(url, 'POST', asked);
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
    const resource = await this.read(url);
    for (const name of FOLLOWED) if (name in resource['_links']) targetOf(resource, name, this.baseUrl);
    const { data: self } = link.safeParse(resource['_links']['self']);
    return { name: self?.name ?? url, contract: contractOf(resource, url), isPending: false, resource };
  }

  /** Registers a version of a provider on a branch: `can-i-deploy` needs it even if nothing is verified. */
  async register(provider: string, { version, branch }: ProviderVersion): Promise<void> {
    const values = { pacticipant: provider, version, branch };
    await this.read(await this.fromIndex('pb:pacticipant-branch-version', values), 'PUT', {});
  }

  /** @throws Error unless the latest result of a pact is that of this version: Pact's verifier only logs a failure */
  async expectPublished({ name, resource }: BrokerPact, { version }: ProviderVersion): Promise<void> {
    const latest = await this.find(targetOf(resource, 'pb:latest-verification-results', this.baseUrl));
    if (latest?.['providerApplicationVersion'] === version) return;
    throw new Error(`${name}: the broker has no result of version ${version}, see above.`);
  }

  private async fromIndex(name: string, values: Record<string, string>): Promise<string> {
    this.index ??= this.read(this.baseUrl);
    const target = targetOf(await this.index, name, this.baseUrl);
    return target.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ''));
  }

  private async read(url: string, method = 'GET', body?: object): Promise<Resource> {
    const found = await this.find(url, method, body);
    if (found === undefined) throw new Error(`${method} ${url} responded with 404.`);
    return found;
  }

  /**
   * @returns undefined if there is nothing
   * @throws Error unless the broker itself responds with JSON, and successfully
   */
  private async find(url: string, method = 'GET', body?: object): Promise<Resource | undefined> {
    expectOrigin(url, 'The pact', this.baseUrl);
    const response = await this.request(url, method, body);
    // After a redirect to another origin, fetch sends no Authorization.
    expectOrigin(response.url, `What ${url} redirects to`, this.baseUrl);
    const { ok, status, headers } = response;
    if (status === 404) return undefined;
    if (!ok) {
      const isRefused = status === 401 || status === 403;
      const advice = isRefused ? ' Check PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD.' : '';
      throw new Error(`${method} ${url} responded with ${status}.${advice}`);
    }
    const { data } = document.safeParse(await response.json().catch(() => undefined));
    if (data !== undefined) return { ...data, url };
    const type = headers.get('content-type') ?? 'no type';
    throw new Error(`${url} responded with ${type}, not with JSON of a Pact Broker. Check PACT_BROKER_BASE_URL.`);
  }

  private async request(url: string, method: string, body: object | undefined): Promise<Response> {
    try {
      const headers = new Headers({ Accept: 'application/hal+json' });
      if (body !== undefined) headers.set('Content-Type', 'application/json');
      if (this.authorization !== undefined) headers.set('Authorization', this.authorization);
      const signal = AbortSignal.timeout(TIMEOUT);
      return await fetch(url, { method, headers, signal, body: body === undefined ? null : JSON.stringify(body) });
    } catch (error) {
      // A message can contain the value of an invalid header.
      const { code, name } = ((error as Error).cause ?? error) as { code?: unknown; name: string };
      throw new Error(`${url} cannot be reached: ${typeof code === 'string' ? code : name}.`, { cause: error });
    }
  }
}

/** @throws Error if there is no such link, or if it leads away from the broker */
function targetOf({ _links: links, url }: Resource, name: string, baseUrl: string): string {
  const { data } = link.safeParse(links[name]);
  if (data === undefined) throw new Error(`${url} has no link ${name}, as a Pact Broker has.`);
  expectOrigin(data.href, `What ${url} links to as ${name}`, baseUrl);
  return data.href;
}

function expectOrigin(url: string, what: string, baseUrl: string): void {
  const { origin } = new URL(baseUrl);
  const { origin: other } = new URL(url, baseUrl);
  if (other !== origin) throw new Error(`${what} is at ${other}, not at the broker, ${origin}.`);
}
