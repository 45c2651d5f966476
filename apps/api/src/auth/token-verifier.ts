import { createHash } from 'node:crypto';
import type { Scope } from '@booking-service/contracts';
import type { Request } from 'express';
import { ExpectedError } from '../http/expected-error.js';

/** The holder of a token. */
export interface Caller {
  /** The same for every token of one caller, and never that of another: idempotency keys are kept apart by it. */
  readonly id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Where scopes were looked for, and which of this service's were found: a sentence with nothing else of the token. */
  describeScopes(): string;
}

export interface GuardedRequest extends Request {
  /** Set by the guard; undefined if the service requires no token. */
  caller?: Caller;
}

/** The id of the caller; undefined if the service requires no token. */
export function callerIdOf({ caller }: GuardedRequest): string | undefined {
  return caller?.id;
}

/**
 * The caller as the log names it: the name of an API key, or the beginning of a SHA-256 of `iss`, a space and `sub`,
 * which distinguishes callers and identifies nobody.
 */
export function callerNameOf({ caller }: GuardedRequest): string | undefined {
  const [, person] = /^oidc (.*)$/s.exec(caller?.id ?? '') ?? [];
  if (person === undefined) return caller?.id;
  return `oidc ${createHash('sha256').update(person).digest('hex').slice(0, 16)}`;
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
  abstract verify(token: string): Promise<Caller>;

  /** Whether tokens are verified with keys that are fetched. */
  readonly hasIssuer: boolean = false;

  /** Seconds since these keys were fetched; undefined if there are none. */
  get keysAge(): number | undefined {
    return undefined;
  }

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

  override readonly hasIssuer: boolean = true;

  override get keysAge(): number | undefined {
    return this.jwts.keysAge;
  }

  /** Ready without the issuer, which API keys do not need; its keys are requested all the same. */
  override async checkReady(): Promise<void> {
    await this.jwts.checkReady().catch(() => {});
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
