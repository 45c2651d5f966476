import { Logger } from '@nestjs/common';
import { createRemoteJWKSet, customFetch } from 'jose';
import { z } from 'zod';
import { type Problem, unavailable } from '../../edge/problem.js';
import type { Moment } from '../../platform/moment.js';
import { isHttpsOrLoopback } from './auth-settings.js';

/** Milliseconds between background fetches: no revoked key is accepted for longer while the issuer is available. */
const REFRESH_INTERVAL = 10 * 60_000;
/** Milliseconds between background fetches after a failed one. */
const RETRY_INTERVAL = 10_000;
/** Milliseconds that keys stay in use while the issuer is unavailable. */
const MAX_KEY_AGE = 24 * 60 * 60_000;
/** Minimum milliseconds between fetches for unknown keys: anyone can make up a key's name. */
const UNKNOWN_KEY_COOLDOWN = 30_000;
/** Milliseconds without requests to the issuer after a failed fetch. */
const FAILURE_PAUSE = 1_000;
/** Maximum milliseconds to fetch metadata and keys together; the first callers wait for both. */
const TIMEOUT = 4_000;

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keySetSchema = z.object({ keys: z.array(z.looseObject({})).min(1) });

/** The public keys of an OpenID Connect issuer, fetched in the background, and when a token names an unknown key. */
export class IssuerKeys {
  private readonly logger = new Logger('auth');
  private failure: { at: Moment; problem: Problem } | undefined;

  /**
   * Finds the key that a token names.
   *
   * @throws errors.JOSEError if the token is at fault, or an error of Web Crypto if the key is
   * @throws Problem `unavailable` if a fetch fails while there are no keys, or none that the token names
   */
  readonly find: ReturnType<typeof createRemoteJWKSet>;

  constructor(
    private readonly issuer: string,
    private readonly jwksUri: string | undefined,
  ) {
    this.find = createRemoteJWKSet(new URL(jwksUri ?? issuer), {
      cacheMaxAge: MAX_KEY_AGE,
      cooldownDuration: UNKNOWN_KEY_COOLDOWN,
      timeoutDuration: TIMEOUT,
      [customFetch]: (_, options) => this.fetch(options),
    });
  }

  /** Whether the last fetch, if any, succeeded. */
  get isUp(): boolean {
    return this.failure === undefined;
  }

  start(signal: AbortSignal): void {
    // `this.fetch` logs failures; the previous keys stay valid.
    const refresh = (): void => void this.find.reload().catch(() => {});
    const retry = (): void => {
      if (!this.isUp) refresh();
    };
    refresh();
    const timers = [setInterval(refresh, REFRESH_INTERVAL), setInterval(retry, RETRY_INTERVAL)];
    for (const timer of timers) timer.unref();
    signal.addEventListener('abort', () => timers.forEach(clearInterval));
  }

  /** @throws Problem `unavailable` while no token can be verified */
  async checkReady(): Promise<void> {
    if (!this.find.fresh) await this.find.reload();
  }

  /**
   * Fetches the keys; for a second after a failure, fails without a request. Logs the first failure and the recovery.
   *
   * @throws Problem `unavailable`
   */
  private async fetch(options: RequestInit): Promise<Response> {
    if (this.failure !== undefined && performance.now() < this.failure.at + FAILURE_PAUSE) throw this.failure.problem;
    try {
      const keys = keySetSchema.parse(await documentAt(this.jwksUri ?? (await this.discover(options)), options));
      if (this.failure !== undefined) this.logger.warn(`The keys of ${this.issuer} are fetched again.`);
      this.failure = undefined;
      return Response.json(keys);
    } catch (cause) {
      if (this.failure === undefined) {
        this.logger.warn(`The keys of ${this.issuer} cannot be fetched: ${reasonOf(cause as Error)}`);
      }
      const problem = unavailable('The service cannot get the keys of the issuer of the token.', cause);
      this.failure = { at: performance.now(), problem };
      throw this.failure.problem;
    }
  }

  /** The URL of the keys (OpenID Connect Discovery 1.0 §4), looked up each time: the issuer may move them. */
  private async discover(options: RequestInit): Promise<string> {
    const url = `${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { issuer, jwks_uri: jwksUri } = metadataSchema.parse(await documentAt(url, options));
    if (issuer !== this.issuer) throw new Error(`${url} belongs to another issuer`);
    if (!isHttpsOrLoopback(jwksUri)) throw new Error(`${url} names a jwks_uri that is not https`);
    return jwksUri;
  }
}

async function documentAt(url: string, options: RequestInit): Promise<unknown> {
  const response = await fetch(url, options);
  if (response.status === 200) return response.json();
  await response.body?.cancel();
  throw new Error(`${url} responded with ${response.status}`);
}

/** The reason for a failure, which `fetch` reports as the cause of its error. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
