import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What the stand-in asks for unless a test says otherwise. */
export const TOKEN = 'a-secret-token';

export interface Settings {
  /** Their interactions may be broken. */
  readonly pending?: boolean;
  /** The `Authorization` of every request: by default, that of `TOKEN`. */
  readonly authorization?: string | undefined;
  /** The answer to `can-i-deploy`. */
  readonly deployable?: boolean;
  /** What a method and path are answered with instead: a status, or a document. */
  readonly instead?: Readonly<Record<string, number | string | object>>;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

interface Pact {
  readonly consumer: { name: string };
  readonly provider: { name: string };
}

type Handler = (...parts: string[]) => object | number;

/**
 * A Pact Broker with certain pacts, which takes results and keeps no state. Paths, links and statuses are those of
 * Pact Broker 2.120 (its `lib/pact_broker/api`).
 */
export class StandInBroker {
  readonly asked: Asked[] = [];
  private readonly server = createServer((request, response) => void this.respond(request, response));

  private constructor(
    private readonly pacts: readonly Pact[],
    private readonly settings: Settings,
  ) {}

  static async start(pacts: readonly Pact[], settings: Settings = {}): Promise<StandInBroker> {
    const broker = new StandInBroker(pacts, { authorization: `Bearer ${TOKEN}`, ...settings });
    broker.server.listen(0, '127.0.0.1');
    await once(broker.server, 'listening');
    return broker;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  pactUrl(index: number): string {
    const { consumer, provider } = this.pacts[index]!;
    return `${this.url}/pacts/provider/${provider.name}/consumer/${consumer.name}/pact-version/${index}`;
  }

  /** What was written: the branch of a version, and results. */
  get published(): Asked[] {
    return this.asked.filter(({ method, path }) => method === 'PUT' || path.endsWith('/verification-results'));
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private readonly routes: readonly (readonly [RegExp, Handler])[] = [
    [/^GET \/$/, () => this.index()],
    [/^POST \/pacts\/provider\/([^/]+)\/for-verification$/, (provider) => this.list(provider)],
    [/^GET \/pacts\/provider\/[^/]+\/consumer\/[^/]+\/pact-version\/(\d+)$/, (index) => this.pact(Number(index))],
    [/^PUT \/pacticipants\/[^/]+\/branches\/[^/]+\/versions\/[^/]+$/, () => ({})],
    [/^POST \/pacts\/provider\/.+\/verification-results$/, () => 201],
    [/^POST \/contracts\/publish$/, () => ({ notices: [] })],
    [/^GET \/matrix\?/, () => ({ summary: { deployable: this.settings.deployable }, notices: [], matrix: [] })],
  ];

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.answer(request);
    if (typeof answer === 'number') response.writeHead(answer).end();
    else if (typeof answer === 'string') response.writeHead(200, { 'Content-Type': 'text/html' }).end(answer);
    else response.writeHead(200, { 'Content-Type': 'application/hal+json' }).end(JSON.stringify(answer));
  }

  private async answer(request: IncomingMessage): Promise<number | string | object> {
    const { method = '', url: path = '', headers } = request;
    const body = headers['content-type'] === undefined ? undefined : await json(request);
    this.asked.push({ method, path, body });
    const { authorization, instead = {} } = this.settings;
    if (headers.authorization !== authorization) return 401;
    const call = `${method} ${path}`;
    const other = Object.keys(instead).find((pattern) => new RegExp(pattern).test(call));
    if (other !== undefined) return instead[other]!;
    for (const [pattern, handler] of this.routes) {
      const found = pattern.exec(call);
      if (found !== null) return handler(...found.slice(1).map(decodeURIComponent));
    }
    return 404;
  }

  private index(): object {
    const templates = {
      'pb:provider-pacts-for-verification': '/pacts/provider/{provider}/for-verification',
      'pb:publish-contracts': '/contracts/publish',
      'pb:pacticipant-branch-version': '/pacticipants/{pacticipant}/branches/{branch}/versions/{version}',
    };
    const links = Object.entries(templates).map(([name, path]) => [name, { href: this.url + path, templated: true }]);
    return { _links: Object.fromEntries(links) };
  }

  /** A provider that no pact names is unknown. */
  private list(provider: string): object | number {
    const indexes = [...this.pacts.keys()].filter((index) => this.pacts[index]!.provider.name === provider);
    if (indexes.length === 0) return 404;
    const pacts = indexes.map((index) => ({
      verificationProperties: {
        pending: this.settings.pending ?? false,
        notices: [{ text: 'This pact is of the main branch', when: 'before_verification' }],
      },
      _links: { self: { href: this.pactUrl(index), name: this.nameOf(index) } },
    }));
    return { _embedded: { pacts } };
  }

  private pact(index: number): object | number {
    const pact = this.pacts[index];
    if (pact === undefined) return 404;
    const links = {
      self: { href: this.pactUrl(index), name: this.nameOf(index) },
      curies: [{ name: 'pb', href: `${this.url}/doc/{rel}`, templated: true }],
      'pb:publish-verification-results': { href: `${this.pactUrl(index)}/verification-results` },
    };
    return { ...pact, _links: links };
  }

  private nameOf(index: number): string {
    const { consumer, provider } = this.pacts[index]!;
    return `Pact between ${consumer.name} (1.${index}.0) and ${provider.name}`;
  }
}
