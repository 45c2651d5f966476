const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]+)(.*)$/s;

/**
 * The URLs of each host of a connection string, as in `postgres://user@a:5432,b:5432/database` (PostgreSQL,
 * "Connection URIs"). One host is a list of one.
 *
 * @returns no URL if the text is not a connection string
 */
export function hostsOf(connectionString: string): string[] {
  const [, start, hosts = '', rest = ''] = SEVERAL.exec(connectionString) ?? [];
  const urls = hosts.split(',').map((host) => `${start}${host}${rest}`);
  return urls.every(isOfHost) ? urls : [];
}

function isOfHost(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, port } = new URL(text);
  return hostname !== '' && port !== '0';
}

/** Servers, and the current one: that which takes writes, or any that responds. */
export class Hosts {
  private current = 0;
  readonly urls: readonly string[];

  /**
   * @param connectionString with one host or several
   * @param wanted `any` if a server that takes no writes will do
   */
  constructor(
    connectionString: string,
    readonly wanted: 'writer' | 'any' = 'writer',
  ) {
    this.urls = hostsOf(connectionString);
  }

  get url(): string {
    return this.urls[this.current]!;
  }

  /** Without user and password. */
  get address(): string {
    const { pathname } = new URL(this.url);
    return `${this.urls.map((url) => new URL(url).host).join(',')}${pathname}`;
  }

  /** Moves on to the next host, unless another connection has already moved on from `url`. */
  moveOn(url: string): void {
    if (url === this.url) this.current = (this.current + 1) % this.urls.length;
  }
}
