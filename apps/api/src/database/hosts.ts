import { setTimeout as sleep } from 'node:timers/promises';

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
  /** The newest timeline of a server that took writes. Each promotion of a standby begins one with a higher number. */
  newest = 0;
  private isCompared = false;
  private comparing: Promise<unknown> | undefined;

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

  /** Whether there are several, of which only one takes writes, or should. */
  get haveToBeCompared(): boolean {
    return this.wanted === 'writer' && this.urls.length > 1;
  }

  /** Without user and password. */
  get address(): string {
    const { pathname } = new URL(this.url);
    return `${this.urls.map((url) => new URL(url).host).join(',')}${pathname}`;
  }

  /** Moves on to the next host, unless another connection has already moved on from `url`. */
  moveOn(url: string): void {
    if (url === this.url) this.current = (this.current + 1) % this.urls.length;
    this.onLost();
  }

  /** A connection was lost: another server may be the one that takes writes by now. */
  onLost(): void {
    this.isCompared = false;
  }

  /**
   * Chooses the server that takes writes, of several the one with the newest timeline: at the start, and after a
   * connection was lost.
   *
   * @param timelineOf returns 0 for a server that takes no writes
   * @param timeout milliseconds to wait for all servers; those that respond later still count
   */
  async compare(timelineOf: (url: string) => Promise<number>, timeout: number): Promise<void> {
    if (!this.haveToBeCompared) return;
    if (!this.isCompared) {
      this.isCompared = true;
      const timelines = new Map<string, number>();
      const looks = this.urls.map(async (url) => {
        const timeline = await timelineOf(url);
        if (timeline > 0) this.choose(timelines.set(url, timeline));
      });
      this.comparing = Promise.race([Promise.allSettled(looks), sleep(timeout, undefined, { ref: false })]);
    }
    await this.comparing;
  }

  private choose(timelines: ReadonlyMap<string, number>): void {
    this.newest = Math.max(this.newest, ...timelines.values());
    const isNewest = (url: string): boolean => timelines.get(url) === this.newest;
    if (!isNewest(this.url) && this.urls.some(isNewest)) this.current = this.urls.findIndex(isNewest);
  }
}
