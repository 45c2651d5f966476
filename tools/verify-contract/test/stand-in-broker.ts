import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from 'testing';

/** What the stand-in asks for unless a test says otherwise. */
export const TOKEN = 'a-secret-token';

export interface Settings {
  /** Their interactions may be broken. */
  readonly pending?: boolean;
  /** The `Authorization` of every request: by default, that of `TOKEN`. */
  readonly authorization?: string | undefined;
  /** What requests are answered with instead, by method and path: a status, HTML, a document, or a place to go. */
  readonly instead?: Readonly<Record<string, number | string | object | URL>>;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

export interface Pact {
  readonly consumer: { name: string };
  readonly provider: { name: string };
}

type Handler = (parts: string[], body: unknown) => object | number;

/**
 * A Pact Broker with certain pacts, which keeps the latest result of each. Paths, links and statuses are those of Pact
 * Broker 2.120 (its `lib/pact_broker/api`).
 */
export class StandInBroker {
  asked: Asked[] = [];
  url!: string;
  stop!: () => Promise<void>;
  private pacts: readonly Pact[] = [];
  private settings: Settings = {};
  private readonly latest = new Map<string, unknown>();
  private readonly server = createServer((request, response) => void this.respond(request, response));

  static async start(): Promise<StandInBroker> {
    const broker = new StandInBroker();
    // While git runs, nothing else does in this process: idle connections would end just before their next use.
    broker.server.keepAliveTimeout = 0;
    ({ url: broker.url, close: broker.stop } = await listen(broker.server));
    return broker;
  }

  /** Begins again, with other pacts. */
  holds(pacts: readonly Pact[], settings: Settings = {}): void {
    this.asked = [];
    this.latest.clear();
    this.pacts = pacts;
    this.settings = { authorization: `Bearer ${TOKEN}`, ...settings };
  }

  pactUrl(index: number): string {
    const { consumer, provider } = this.pacts[index]!;
    return `${this.url}/pacts/provider/${provider.name}/consumer/${consumer.name}/pact-version/${index}`;
  }

  /** The paths of what was written, and results: branches of versions, and results. */
  get published(): [path: string, success?: unknown][] {
    const written = this.asked.filter(({ method, path }) => method === 'PUT' || path.endsWith('/verification-results'));
    return written.map(({ path, body }) => {
      const { success } = body as { success?: boolean };
      return success === undefined ? [path] : [path, success];
    });
  }

  private readonly routes: readonly (readonly [RegExp, Handler])[] = [
    [/^GET \/$/, () => this.index()],
    [/^POST \/pacts\/provider\/([^/]+)\/for-verification$/, ([provider]) => this.list(provider!)],
    [/^GET \/pacts\/provider\/[^/]+\/consumer\/[^/]+\/pact-version\/(\d+)$/, ([index]) => this.pact(Number(index))],
    [/^GET \/pacticipants\/([^/]+)$/, ([name]) => this.pacticipant(name!)],
    [/^PUT \/pacticipants\/[^/]+\/branches\/[^/]+\/versions\/[^/]+$/, () => ({})],
    [/^POST (\/pacts\/provider\/.+)\/verification-results$/, ([pact], body) => this.keep(pact!, body)],
    [/^GET (\/pacts\/provider\/.+)\/verification-results\/latest$/, ([pact]) => this.latest.get(pact!) ?? 404],
    [/^GET (\/pacticipants\/[^/]+\/versions\/[^/]+)$/, ([version]) => this.version(version!)],
    [/^POST \/pacticipants\/[^/]+\/versions\/[^/]+\/released-versions\/environment\/[^/]+$/, () => ({})],
    [/^GET \/matrix\?/, () => ({ summary: { deployable: true }, notices: [], matrix: [] })],
  ];

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.answer(request);
    if (typeof answer === 'number') response.writeHead(answer).end();
    else if (answer instanceof URL) response.writeHead(307, { Location: answer.href }).end();
    else if (typeof answer === 'string') response.writeHead(200, { 'Content-Type': 'text/html' }).end(answer);
    else response.writeHead(200, { 'Content-Type': 'application/hal+json' }).end(JSON.stringify(answer));
  }

  private async answer(request: IncomingMessage): Promise<number | string | object> {
    const { method = '', url: path = '', headers } = request;
    const body = headers['content-type'] === undefined ? undefined : await json(request);
    this.asked.push({ method, path, authorization: headers.authorization, body });
    const { authorization, instead = {} } = this.settings;
    if (headers.authorization !== authorization) return 401;
    const call = `${method} ${path}`;
    const other = Object.keys(instead).find((pattern) => new RegExp(pattern).test(call));
    if (other !== undefined) return instead[other]!;
    for (const [pattern, handler] of this.routes) {
      const found = pattern.exec(call);
      if (found !== null) return handler(found.slice(1).map(decodeURIComponent), body);
    }
    return 404;
  }

  private index(): object {
    const templates = {
      'pb:provider-pacts-for-verification': '/pacts/provider/{provider}/for-verification',
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
      verificationProperties: { pending: this.settings.pending ?? false },
      _links: { self: { href: this.pactUrl(index), name: this.nameOf(index) } },
    }));
    return { _embedded: { pacts } };
  }

  private pact(index: number): object | number {
    const pact = this.pacts[index];
    if (pact === undefined) return 404;
    const url = this.pactUrl(index);
    const links = {
      self: { href: url, name: this.nameOf(index) },
      curies: [{ name: 'pb', href: `${this.url}/doc/{rel}`, templated: true }],
      'pb:provider': { href: `${this.url}/pacticipants/${pact.provider.name}` },
      'pb:publish-verification-results': { href: `${url}/verification-results` },
      'pb:latest-verification-results': { href: `${url}/verification-results/latest` },
    };
    return { ...pact, _links: links };
  }

  private pacticipant(name: string): object {
    const href = `${this.url}/pacticipants/${name}/branches/{branch}/versions/{version}`;
    return { name, _links: { 'pb:branch-version': { href, templated: true } } };
  }

  private version(path: string): object {
    const href = `${this.url}${path}/released-versions/environment/16926ef3-590f-4e3f-838e-719717aa88c9`;
    return { _links: { 'pb:record-release': [{ name: 'production', href }] } };
  }

  private keep(pact: string, result: unknown): object {
    const self = { href: `${this.url}${pact}/verification-results/${this.asked.length}` };
    this.latest.set(pact, { ...(result as object), _links: { self } });
    return result as object;
  }

  private nameOf(index: number): string {
    const { consumer, provider } = this.pacts[index]!;
    return `Pact between ${consumer.name} (1.${index}.0) and ${provider.name}`;
  }
}
