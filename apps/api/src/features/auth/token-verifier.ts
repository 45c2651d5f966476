import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Metrics } from '../../platform/observability/metrics.js';
import { ApiKeys } from './api-keys.js';
import type { AuthSettings } from './auth-settings.js';
import { OidcTokens } from './oidc-tokens.js';
import { type TokenHolder, tokenRejected } from './token.js';

/** Finds the holder of a token. Errors and log lines never quote a token. */
export class TokenVerifier implements OnModuleInit, OnApplicationShutdown {
  private readonly closing = new AbortController();
  private readonly apiKeys: ApiKeys | undefined;
  private readonly oidc: OidcTokens | undefined;

  constructor({ apiKeysFile, oidc }: AuthSettings, { validFiles }: Metrics) {
    if (apiKeysFile !== undefined) this.apiKeys = new ApiKeys(apiKeysFile, validFiles.labels('AUTH_API_KEYS_FILE'));
    this.oidc = oidc && new OidcTokens(oidc);
  }

  /** Where accepted tokens come from, for the start-up log. */
  get description(): string {
    return [this.apiKeys?.description, this.oidc?.description].filter(Boolean).join(', ');
  }

  /** @throws Problem `unauthenticated`, `unavailable` */
  async verify(token: string): Promise<TokenHolder> {
    const holder = this.apiKeys?.find(token);
    if (holder !== undefined) return holder;
    // A JWT contains dots (RFC 7519 §3): a token without dots is an unknown API key.
    const isOfIssuer = this.apiKeys === undefined || token.includes('.');
    if (this.oidc !== undefined && isOfIssuer) return this.oidc.verify(token);
    throw tokenRejected('The token is unknown or has been revoked.');
  }

  /** Whether the last fetch of the issuer's keys, if any, succeeded; known keys stay valid for a day. */
  get isIssuerUp(): boolean {
    return this.oidc?.keys.isUp ?? true;
  }

  /** @throws Problem `unavailable` while no token can be verified; API keys always can be */
  async checkReady(): Promise<void> {
    if (this.apiKeys === undefined) await this.oidc?.keys.checkReady();
  }

  /** @throws Error for an unusable API key file */
  async onModuleInit(): Promise<void> {
    await this.apiKeys?.start(this.closing.signal);
    this.oidc?.keys.start(this.closing.signal);
  }

  onApplicationShutdown(): void {
    this.closing.abort();
  }
}
