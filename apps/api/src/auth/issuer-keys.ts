import { Logger } from '@nestjs/common';
import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { isHttpsOrLoopback } from './auth-settings.js';
import { IssuerUnavailable, TokenRejected } from './token-verifier.js';

/** Milliseconds after which keys are fetched again, in the background: the upper bound on accepting a revoked key. */
const REFRESH_AFTER = 10 * 60_000;
/** Milliseconds between attempts to fetch keys while the issuer is unavailable and older keys are still in use. */
const RETRY_AFTER = 10_000;
/** Milliseconds for which keys stay in use while the issuer is unavailable. */
const GOOD_FOR = 24 * 60 * 60_000;
/** Milliseconds between two fetches for unknown keys. Anyone can make up the name of a key. */
const UNKNOWN_KEY_PAUSE = 30_000;
/** Milliseconds after a failed fetch during which the issuer gets no request. */
const FAILURE_PAUSE = 1_000;
/** Milliseconds for one response of the issuer. Two of them are needed at most, and a caller waits for both. */
const TIMEOUT = 2_000;

/** Bytes that a document of the issuer may have: a few hundred keys with their certificates. */
const MAX_DOCUMENT_BYTES = 256 * 1024;

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keySetSchema = z.object({ keys: z.array(z.unknown()) });

/** Characters of the name of a key that are logged. */
const MAX_NAME_LENGTH = 100;

/**
 * The public keys of an OpenID Connect issuer: fetched in the background where possible, and kept. Instants are those
 * of `performance.now()`, so that it makes no difference when the wall clock is set.
 */
export class IssuerKeys {
  private readonly logger = new Logger('auth');
  private keys: JWTVerifyGetKey | undefined;
  private discovered: string | undefined;
  private fetching: Promise<void> | undefined;
  private requestedAt = -Infinity;
  private fetchedAt: number | undefined;
  private isAway = false;
  private failure: { at: number; cause: unknown } | undefined;
  /** Names of keys that were logged as unusable. All of them are published by the issuer, which bounds their number. */
  private readonly unusable = new Set<string | undefined>();

  /** @param jwksUri where the keys are; by default, where the issuer's metadata say */
  constructor(
    private readonly issuer: string,
    private readonly jwksUri: string | undefined,
  ) {}

  /**
   * The key that a token says it is signed with.
   *
   * @throws JWKSNoMatchingKey, JWKSMultipleMatchingKeys: the token is at fault
   * @throws TokenRejected when the key cannot be used
   * @throws IssuerUnavailable when there are no keys, or they may be too old to include this one
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (isPast(this.requestedAt + REFRESH_AFTER)) void this.refresh();
    if (!this.isGood) await this.fetchKeys();
    try {
      return await this.keys!(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw this.reject(header.kid, error);
      if (!isPast(this.fetchedAt! + UNKNOWN_KEY_PAUSE)) throw error;
    }
    await this.fetchKeys();
    return this.find(header, token);
  };

  /** The rejection of a token whose key cannot be used. Logs each such key once. */
  reject(kid: string | undefined, cause: unknown): TokenRejected {
    if (!this.unusable.has(kid)) {
      const key = kid === undefined ? 'A key without a name' : `The key ${kid.slice(0, MAX_NAME_LENGTH)}`;
      this.logger.warn(`${key} of ${this.issuer} cannot be used: ${(cause as Error).message}`);
    }
    this.unusable.add(kid);
    return new TokenRejected('The token is signed with a key of its issuer that this service cannot use.');
  }

  /** Seconds since the keys were fetched; undefined while there are none. */
  get age(): number | undefined {
    return this.fetchedAt === undefined ? undefined : (performance.now() - this.fetchedAt) / 1_000;
  }

  /** Fetches the keys where they are due, after a failure sooner. @throws IssuerUnavailable while no token can be verified */
  async checkReady(): Promise<void> {
    const isDue = isPast(this.requestedAt + (this.isAway ? RETRY_AFTER : REFRESH_AFTER));
    if (!this.isGood || isDue) await this.refresh();
    if (!this.isGood) throw new IssuerUnavailable('There are no keys of the issuer, or they are too old.');
  }

  private get isGood(): boolean {
    return this.fetchedAt !== undefined && !isPast(this.fetchedAt + GOOD_FOR);
  }

  /** Fetches the keys again. If that fails, the present ones stay. Logs the first failure and the recovery. */
  async refresh(): Promise<void> {
    this.requestedAt = performance.now();
    try {
      await this.fetchKeys();
      if (this.isAway) this.logger.warn(`The keys of ${this.issuer} are fetched again.`);
      this.isAway = false;
    } catch (error) {
      if (!this.isAway) {
        this.logger.warn(`The keys of ${this.issuer} cannot be fetched: ${reasonOf(error as IssuerUnavailable)}`);
      }
      this.isAway = true;
    }
  }

  /** Fetches the keys, once for all who wait. @throws IssuerUnavailable, without a request for a second after a failure */
  private async fetchKeys(): Promise<void> {
    try {
      if (this.failure !== undefined && !isPast(this.failure.at + FAILURE_PAUSE)) throw this.failure.cause;
      this.fetching ??= this.fetch().finally(() => (this.fetching = undefined));
      await this.fetching;
    } catch (cause) {
      throw new IssuerUnavailable('The service cannot get the keys of the issuer of the token.', { cause });
    }
  }

  private async fetch(): Promise<void> {
    try {
      const url = this.jwksUri ?? (this.discovered ??= await this.discover());
      const { keys } = keySetSchema.parse(await documentAt(url));
      // One entry that is no key would be a fault of the whole set.
      const objects = keys.filter((key) => typeof key === 'object' && key !== null && !Array.isArray(key));
      this.keys = createLocalJWKSet({ keys: objects as JWK[] });
      this.fetchedAt = performance.now();
    } catch (cause) {
      // The issuer may have moved its keys.
      this.discovered = undefined;
      this.failure = { at: performance.now(), cause };
      throw cause;
    }
  }

  /** @see OpenID Connect Discovery 1.0 §4 */
  private async discover(): Promise<string> {
    const url = `${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const metadata = metadataSchema.parse(await documentAt(url));
    if (metadata.issuer !== this.issuer) throw new Error(`${url} is of another issuer`);
    if (!isHttpsOrLoopback(metadata.jwks_uri)) throw new Error(`${url} names a jwks_uri that is not https`);
    return metadata.jwks_uri;
  }
}

function isPast(instant: number): boolean {
  return performance.now() > instant;
}

/** @throws Error if it is not JSON, too large, or not there in time */
async function documentAt(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { Accept: 'application/json, application/jwk-set+json' },
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} responded with ${response.status}`);
  }
  return new Response(await bodyOf(response, url)).json();
}

/** The body, bounded after decompression: a small body may decompress to one that fills the memory. @throws Error if too large */
async function bodyOf({ body }: Response, url: string): Promise<Blob> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the body, and with it the connection.
  for await (const piece of body ?? []) {
    length += piece.byteLength;
    if (length > MAX_DOCUMENT_BYTES) throw new Error(`${url} is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    pieces.push(piece);
  }
  return new Blob(pieces);
}

/** Only the cause of an error of `fetch` says why it failed. */
function reasonOf({ cause }: IssuerUnavailable): string {
  const { message, cause: reason } = cause as { message: string; cause?: { message?: string } };
  return reason?.message === undefined ? message : `${message}: ${reason.message}`;
}
