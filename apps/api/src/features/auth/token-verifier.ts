import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { ApiKeys } from './api-keys.js';
import type { AuthSettings } from './auth-settings.js';
import { OidcTokens } from './oidc-tokens.js';
import type { TokenHolder } from './token.js';

/** Finds the caller of a token. Neither its errors nor its log lines contain anything of a token. */
export class TokenVerifier implements OnModuleInit, OnApplicationShutdown {
  private readonly closing = new AbortController();
  private readonly apiKeys: ApiKeys | undefined;
  private readonly oidc: OidcTokens | undefined;

  constructor({ apiKeysFile, oidc }: AuthSettings) {
    this.apiKeys = apiKeysFile === undefined ? undefined : new ApiKeys(apiKeysFile);
    this.oidc = oidc && new OidcTokens(oidc);
  }

  /** Names the accepted tokens in the log of the start. */
  get description(): string {
    return [this.apiKeys?.description, this.oidc?.description].filter(Boolean).join(', ');
  }

  /** @throws Problem `unauthenticated`, `unavailable` */
  async verify(token: string): Promise<TokenHolder> {
    // A JWT has two dots (RFC 7519 §3), an API key has none.
    if (this.oidc !== undefined && (this.apiKeys === undefined || token.includes('.'))) return this.oidc.verify(token);
    return this.apiKeys!.verify(token);
  }

  /** Resolves when tokens can be verified: API keys always can. @throws Problem `unavailable` */
  async checkReady(): Promise<void> {
    if (this.apiKeys === undefined) await this.oidc?.keys.checkReady();
  }

  /** Called by Nest before the first request. @throws Error when the file of API keys cannot be used */
  async onModuleInit(): Promise<void> {
    await this.apiKeys?.start(this.closing.signal);
    this.oidc?.keys.start(this.closing.signal);
  }

  onApplicationShutdown(): void {
    this.closing.abort();
  }
}
