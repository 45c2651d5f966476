import { Logger } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, type RemoteJWKSet } from 'jose';
import { z } from 'zod';
import { isHttpsOrLoopback } from './auth-settings.js';
import { IssuerUnavailable } from './token-verifier.js';

/** Milliseconds after which keys are fetched anew, beside the requests: the upper bound on accepting a revoked key. */
const REFRESH_AFTER = 10 * 60_000;
/** Milliseconds after which an issuer that could not be asked for its keys is asked again, while older ones stay good. */
const RETRY_AFTER = 10_000;
/** Milliseconds for which keys stay good while the issuer cannot be asked. */
const GOOD_FOR = 24 * 60 * 60_000;
/** Milliseconds between two fetches for keys that are not known. Anyone can make up the name of a key. */
const UNKNOWN_KEY_PAUSE = 30_000;
/** Milliseconds for which an issuer that could not be asked is left alone. */
const FAILURE_PAUSE = 1_000;
/** Milliseconds for one response of the issuer. Two of them are needed at most, and a caller waits for both. */
const TIMEOUT = 2_000;

/** Bytes that a document of the issuer may have: a few hundred keys with their certificates. */
const MAX_DOCUMENT_BYTES = 256 * 1024;

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });

/** The public keys of an OpenID Connect issuer: fetched beside the requests where that can be, and kept. */
export class IssuerKeys {
  private readonly logger = new Logger('auth');
  private remote: Promise<RemoteJWKSet> | undefined;
  private askedAt = -Infinity;
  private fetchedAt: number | undefined;
  private isAway = false;
  private failure: { at: number; cause: unknown } | undefined;

  /** @param jwksUri where the keys are; where it is not given, the issuer's metadata say so */
  constructor(
    private readonly issuer: string,
    private readonly jwksUri: string | undefined,
  ) {}

  /**
   * The key that a token says it is signed with.
   *
   * @throws JWKSNoMatchingKey, JWKSMultipleMatchingKeys: the fault of the token
   * @throws IssuerUnavailable when the keys are not there, or perhaps too old to have this one
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (Date.now() > this.askedAt + REFRESH_AFTER) void this.refresh();
    try {
      const remote = await this.located();
      return await remote(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw this.failed(error);
    }
  };

  /** Seconds since the keys were fetched; undefined while there are none. */
  get age(): number | undefined {
    return this.fetchedAt === undefined ? undefined : (Date.now() - this.fetchedAt) / 1_000;
  }

  /** Keeps the keys fresh, and asks an issuer again that could not be asked. @throws IssuerUnavailable while there are no keys */
  async checkReady(): Promise<void> {
    const isDue = Date.now() > this.askedAt + (this.isAway ? RETRY_AFTER : REFRESH_AFTER);
    if (this.fetchedAt === undefined || isDue) await this.refresh();
    if (this.fetchedAt === undefined) throw new IssuerUnavailable('There are no keys of the issuer yet.');
  }

  /** Fetches the keys anew. Where that fails, the ones that are there stay. The log tells when that changes. */
  async refresh(): Promise<void> {
    this.askedAt = Date.now();
    try {
      const remote = await this.located();
      await remote.reload();
      this.fetchedAt = Date.now();
      if (this.isAway) this.logger.warn(`The keys of ${this.issuer} are fetched again.`);
      this.isAway = false;
    } catch (error) {
      const failure = this.failed(error);
      if (!this.isAway) this.logger.warn(`The keys of ${this.issuer} cannot be fetched: ${reasonOf(failure)}`);
      this.isAway = true;
    }
  }

  private located(): Promise<RemoteJWKSet> {
    this.remote ??= this.locate().catch((error: unknown) => {
      this.remote = undefined;
      throw error;
    });
    return this.remote;
  }

  private async locate(): Promise<RemoteJWKSet> {
    return createRemoteJWKSet(new URL(this.jwksUri ?? (await this.discover())), {
      cacheMaxAge: GOOD_FOR,
      cooldownDuration: UNKNOWN_KEY_PAUSE,
      timeoutDuration: TIMEOUT,
      [customFetch]: (url, options) => this.fetch(url, options),
    });
  }

  /** @see OpenID Connect Discovery 1.0 §4 */
  private async discover(): Promise<string> {
    const url = `${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await this.fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) });
    const metadata = metadataSchema.parse(await response.json());
    if (metadata.issuer !== this.issuer) throw new Error(`${url} is of another issuer`);
    if (!isHttpsOrLoopback(metadata.jwks_uri)) throw new Error(`${url} names a jwks_uri that is not https`);
    return metadata.jwks_uri;
  }

  private async fetch(url: string, options: RequestInit): Promise<Response> {
    if (this.failure !== undefined && Date.now() < this.failure.at + FAILURE_PAUSE) throw this.failure.cause;
    const response = await fetch(url, options);
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`${url} responded with ${response.status}`);
    }
    return new Response(await bodyOf(response, url));
  }

  private failed(cause: unknown): IssuerUnavailable {
    // The pause begins with the failure, not with the requests that are turned away in it.
    if (cause !== this.failure?.cause) this.failure = { at: Date.now(), cause };
    return new IssuerUnavailable('The service cannot get the keys of the issuer of the token.', { cause });
  }
}

/** Whole, once it is decoded: what is compressed well must not fill the memory. @throws Error for too large a body */
async function bodyOf({ body }: Response, url: string): Promise<Blob> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // To leave the loop cancels the body, and with it the connection.
  for await (const piece of body ?? []) {
    length += piece.byteLength;
    if (length > MAX_DOCUMENT_BYTES) throw new Error(`${url} is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    pieces.push(piece);
  }
  return new Blob(pieces);
}

/** `fetch` says why it failed in the cause of its error alone. */
function reasonOf({ cause }: IssuerUnavailable): string {
  const { message, cause: reason } = cause as { message: string; cause?: { message?: string } };
  return reason?.message === undefined ? message : `${message}: ${reason.message}`;
}
