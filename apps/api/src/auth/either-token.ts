import { type Caller, TokenVerifier } from './token-verifier.js';

/** API keys and JWTs beside each other. A JWT has two dots (RFC 7519 §3), an API key has none. */
export class EitherToken extends TokenVerifier {
  constructor(
    private readonly apiKeys: TokenVerifier,
    private readonly jwts: TokenVerifier,
  ) {
    super();
  }

  override get description(): string {
    return `${this.apiKeys.description}, ${this.jwts.description}`;
  }

  override verify(token: string): Promise<Caller> {
    return (token.includes('.') ? this.jwts : this.apiKeys).verify(token);
  }

  override async onModuleInit(): Promise<void> {
    await this.apiKeys.onModuleInit();
    await this.jwts.onModuleInit();
  }

  override onApplicationShutdown(): void {
    this.apiKeys.onApplicationShutdown();
    this.jwts.onApplicationShutdown();
  }
}
