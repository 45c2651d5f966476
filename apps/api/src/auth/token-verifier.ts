import type { Scope } from '@booking-service/contracts';
import { ExpectedError } from '../http/expected-error.js';
import type { Caller } from '../http/request-head.js';

/** The holder of a token, and what it may do. */
export interface TokenHolder extends Caller {
  readonly scopes: ReadonlySet<Scope>;
  /** Where scopes were looked for, and which of this service's were found: a sentence with nothing else of the token. */
  describeScopes(): string;
}

/** Names as a sentence lists them. */
export function listOf(names: Iterable<string>): string {
  return [...names].map((name) => `\`${name}\``).join(', ');
}

/** The token is not valid here. The message is for its sender and contains nothing of the token. */
export class TokenRejected extends ExpectedError {
  override readonly name = 'TokenRejected';
}

/** The token cannot be verified now; `cause` says why. */
export class IssuerUnavailable extends ExpectedError {
  override readonly name = 'IssuerUnavailable';
}

/** Finds the caller of a token. Neither its errors nor its log lines contain anything of a token. */
export abstract class TokenVerifier {
  /** Which tokens are accepted, for the log of the start. */
  abstract readonly description: string;

  /** @throws TokenRejected, IssuerUnavailable */
  abstract verify(token: string): Promise<TokenHolder>;

  /** Resolves when tokens can be verified. @throws IssuerUnavailable */
  async checkReady(): Promise<void> {}

  /** Called by Nest before the first request. @throws Error when the settings cannot be used as they are */
  abstract onModuleInit(): Promise<void>;

  /** Called by Nest after the last request. */
  abstract onApplicationShutdown(): void;
}

/** API keys and JWTs. A JWT has two dots (RFC 7519 §3), an API key has none. */
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

  /** Ready without the issuer, which API keys do not need; its keys are requested all the same. */
  override async checkReady(): Promise<void> {
    await this.jwts.checkReady().catch(() => {});
  }

  override verify(token: string): Promise<TokenHolder> {
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
