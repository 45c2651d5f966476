import * as z from 'zod';

/** Maximum milliseconds of a request. */
const TIMEOUT = 30_000;

const document = z.looseObject({ _links: z.record(z.string(), z.unknown()).default({}) });

export const link = z.object({ href: z.string(), name: z.string().optional() });

/** A HAL document (draft-kelly-json-hal). */
export type Resource = z.output<typeof document> & { readonly url: string };

/**
 * The documents of one origin: whatever leads elsewhere is an error. The message of an error is one line, and never
 * contains a credential.
 */
export class Hal {
  /** @param authorization the value of the `Authorization` header, which only the origin of `baseUrl` gets */
  constructor(
    private readonly baseUrl: string,
    private readonly authorization: string | undefined,
  ) {}

  async read(url: string, method = 'GET', body?: object): Promise<Resource> {
    const found = await this.find(url, method, body);
    if (found === undefined) throw new Error(`${method} ${url} responded with 404.`);
    return found;
  }

  /**
   * @returns undefined if there is nothing
   * @throws Error unless the broker itself responds with JSON, and successfully
   */
  async find(url: string, method = 'GET', body?: object): Promise<Resource | undefined> {
    this.expectOrigin(url, 'The pact');
    const { response, text } = await this.request(url, method, body);
    // After a redirect to another origin, fetch sends no Authorization.
    this.expectOrigin(response.url, `What ${url} redirects to`);
    const { ok, status, headers } = response;
    if (status === 404) return undefined;
    if (!ok) {
      const isRefused = status === 401 || status === 403;
      const advice = isRefused ? ' Check PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD.' : '';
      throw new Error(`${method} ${url} responded with ${status}.${advice}`);
    }
    const { data } = document.safeParse(parse(text));
    if (data !== undefined) return { ...data, url };
    const type = headers.get('content-type') ?? 'no type';
    throw new Error(`${url} responded with ${type}, not with JSON of a Pact Broker. Check PACT_BROKER_BASE_URL.`);
  }

  /** @throws Error if there is no such link, or if it leads away from the broker */
  targetOf({ _links: links, url }: Resource, name: string): string {
    const { data } = link.safeParse(links[name]);
    if (data === undefined) throw new Error(`${url} has no link ${name}, as a Pact Broker has.`);
    this.expectOrigin(data.href, `What ${url} links to as ${name}`);
    return data.href;
  }

  private expectOrigin(url: string, what: string): void {
    const { origin } = new URL(this.baseUrl);
    const { origin: other } = new URL(url, this.baseUrl);
    if (other !== origin) throw new Error(`${what} is at ${other}, not at the broker, ${origin}.`);
  }

  private async request(url: string, method: string, body: object | undefined) {
    try {
      const headers = new Headers({ Accept: 'application/hal+json' });
      if (body !== undefined) headers.set('Content-Type', 'application/json');
      if (this.authorization !== undefined) headers.set('Authorization', this.authorization);
      const signal = AbortSignal.timeout(TIMEOUT);
      const sent = body === undefined ? null : JSON.stringify(body);
      const response = await fetch(url, { method, headers, signal, body: sent });
      return { response, text: await response.text() };
    } catch (error) {
      // A message can contain the value of an invalid header.
      const { code, name } = ((error as Error).cause ?? error) as { code?: unknown; name: string };
      throw new Error(`${url} cannot be reached: ${typeof code === 'string' ? code : name}.`, { cause: error });
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
