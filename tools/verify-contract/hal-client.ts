import * as z from 'zod';

/** Maximum milliseconds of a request. */
const TIMEOUT = 30_000;

const SETTINGS = 'Check PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD.';

const withLinks = z.object({ _links: z.record(z.string(), z.unknown()).default({}) });
const link = z.object({ href: z.string() });

/** A HAL document (draft-kelly-json-hal). */
export interface Resource {
  readonly url: string;
  /** The parsed JSON. */
  readonly document: unknown;
  readonly links: Readonly<Record<string, unknown>>;
}

/** An unsuccessful response. */
export class StatusError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** Requests to a Pact Broker. An error's message is one line, and never contains a credential. */
export class HalClient {
  /** @param authorization the value of the `Authorization` header */
  constructor(private readonly authorization: string | undefined) {}

  /** @throws Error unless the response is successful and in JSON */
  async read(url: string, method = 'GET', body?: object): Promise<Resource> {
    const response = await this.send(url, method, body);
    const document: unknown = await response.json().catch(() => undefined);
    const { data } = withLinks.safeParse(document);
    if (data !== undefined) return { url, document, links: data['_links'] };
    const type = response.headers.get('content-type') ?? 'no type';
    throw new Error(`${url} responded with ${type}, not with JSON of a Pact Broker. Check PACT_BROKER_BASE_URL.`);
  }

  /** @throws Error unless the response is successful */
  async send(url: string, method: string, body?: object): Promise<Response> {
    const response = await this.request(url, method, body);
    const { ok, status } = response;
    if (ok) return response;
    await response.body?.cancel();
    const isRefused = status === 401 || status === 403;
    const advice = isRefused ? ` ${SETTINGS}` : '';
    throw new StatusError(`${method} ${url} responded with ${status}.${advice}`, status);
  }

  private async request(url: string, method: string, body?: object): Promise<Response> {
    const { username, password } = new URL(url);
    if (username !== '' || password !== '') throw new Error(`Leave credentials out of URLs. ${SETTINGS}`);
    try {
      const headers = new Headers({ Accept: 'application/hal+json' });
      if (this.authorization !== undefined) headers.set('Authorization', this.authorization);
      if (body !== undefined) headers.set('Content-Type', 'application/json');
      const signal = AbortSignal.timeout(TIMEOUT);
      return await fetch(url, { method, headers, signal, body: body === undefined ? null : JSON.stringify(body) });
    } catch (error) {
      throw new Error(`${url} cannot be reached: ${reasonOf(error as Error)}.`, { cause: error });
    }
  }
}

/**
 * The target of a link, with values for its placeholders.
 *
 * @throws Error if there is no such link
 */
export function targetOf({ links, url }: Resource, name: string, values: Record<string, string> = {}): string {
  const { data } = link.safeParse(links[name]);
  if (data === undefined) throw new Error(`${url} has no link ${name}, as a Pact Broker has.`);
  return data.href.replaceAll(/\{(\w+)\}/g, (whole, key: string) => {
    const value = values[key];
    return value === undefined ? whole : encodeURIComponent(value);
  });
}

/** The code or the name of an error, not its message, which can contain the value of an invalid header. */
function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError') return `no response within ${TIMEOUT / 1000} s`;
  const { code } = (error.cause ?? error) as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
