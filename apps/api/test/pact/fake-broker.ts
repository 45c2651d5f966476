import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A contract as a pact file has it. */
export interface Pact {
  consumer: { name: string };
  interactions: { description: string; providerStates?: { name: string }[] }[];
}

/** `pending`: the provider never kept it, so it may break it. */
export interface Offer {
  pact: Pact;
  pending?: boolean;
}

export interface ReceivedRequest {
  method: string;
  path: string;
  authorization: string | undefined;
  /** What was sent as JSON; undefined where nothing was. */
  body: unknown;
}

const FOR_VERIFICATION = '/for-verification/bookings-service';
const PROVIDER = '/pacticipants/bookings-service';

/**
 * The resources of a Pact Broker that a verification needs, in HAL. It serves the contracts that it was
 * started with, whichever are requested, and remembers every request.
 */
export class FakeBroker {
  readonly requests: ReceivedRequest[] = [];
  private readonly server: Server;

  private constructor(private readonly offers: readonly Offer[]) {
    this.server = createServer((request, response) => void this.response(request, response));
  }

  static async start(...offers: Offer[]): Promise<FakeBroker> {
    const broker = new FakeBroker(offers);
    await once(broker.server.listen(0, '127.0.0.1'), 'listening');
    return broker;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Where one contract is, as a webhook names it. */
  pactUrl(consumer: string): string {
    return `${this.url}/pacts/${consumer}`;
  }

  /** The requests to a path but its GETs. */
  sent(path: string): ReceivedRequest[] {
    return this.requests.filter((request) => request.path === path && request.method !== 'GET');
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async response(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const sent = await text(request);
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    this.requests.push({ method, path, authorization: headers.authorization, body });
    const resource = this.resourceAt(path);
    response.writeHead(resource === undefined ? 404 : 200, { 'Content-Type': 'application/hal+json' });
    response.end(JSON.stringify(resource ?? {}));
  }

  private resourceAt(path: string): object | undefined {
    if (path === '/') return this.linking({ 'pb:provider-pacts-for-verification': '/for-verification/{provider}' });
    if (path === FOR_VERIFICATION) return { ...this.pactsForVerification(), ...this.linking({ self: path }) };
    if (path === PROVIDER)
      return this.linking({ 'pb:branch-version': `${PROVIDER}/branches/{branch}/versions/{version}` });
    if (path.startsWith(`${PROVIDER}/branches/`) || path.startsWith('/results/')) return {};
    const offer = this.offers.find(({ pact }) => path === `/pacts/${pact.consumer.name}`);
    if (offer === undefined) return undefined;
    const results = `/results/${offer.pact.consumer.name}`;
    return { ...offer.pact, ...this.linking({ 'pb:publish-verification-results': results, 'pb:provider': PROVIDER }) };
  }

  private pactsForVerification(): object {
    const pacts = this.offers.map(({ pact: { consumer }, pending = false }) => ({
      shortDescription: `latest of ${consumer.name}`,
      verificationProperties: { pending, notices: [] },
      _links: { self: { href: this.pactUrl(consumer.name), name: `Pact of ${consumer.name}` } },
    }));
    return { _embedded: { pacts } };
  }

  private linking(links: Record<string, string>): object {
    const entries = Object.entries(links).map(([name, path]) => {
      return [name, { href: this.url + path, templated: path.includes('{') }];
    });
    return { _links: Object.fromEntries(entries) };
  }
}
