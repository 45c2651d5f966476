import { hostsOf } from './connection-string.js';
import { isUnavailable } from './postgres-errors.js';

/** Servers, and the one that is connected to: the one that takes writes, or any that responds. */
export class Hosts {
  private current = 0;
  readonly urls: readonly string[];

  /**
   * @param connectionString with one host or several
   * @param wanted whether any of them will do, also one that takes no writes
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

  /** Goes on to the next host, unless another connection found out before that `url` is not the one. */
  moveOn(url: string): void {
    if (url === this.url) this.current = (this.current + 1) % this.urls.length;
  }

  /**
   * Does `work` on one host after the other, from the current one on, until it is done.
   *
   * @throws Error of `work` on the last host, or the first that says more than that a host is away or read-only
   */
  async onWriter<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
    for (let left = this.urls.length; ; left--) {
      const { url } = this;
      try {
        return await work(url);
      } catch (error) {
        this.moveOn(url);
        if (left <= 1 || !isUnavailable(error)) throw error;
      }
    }
  }
}
