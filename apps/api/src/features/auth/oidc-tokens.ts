import { hash } from 'node:crypto';
import { type Scope, scopes } from '@booking-service/contracts';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { Problem } from '../../edge/problem.js';
import type { OidcSettings, ScopeClaim } from './auth-settings.js';
import { IssuerKeys } from './issuer-keys.js';
import { type TokenHolder, tokenRejected } from './token.js';

/** Seconds by which the clocks of the issuer and the service may differ. */
const CLOCK_TOLERANCE = 30;

/** Accepted `typ`: an access token (RFC 9068 §2.1) or a plain JWT. */
const TOKEN_TYPE = /^(?:application\/)?(?:at\+)?jwt$/i;

/** Access tokens of an OpenID Connect issuer: JWTs (RFC 7519, RFC 9068), checked as RFC 8725 recommends. */
export class OidcTokens {
  readonly keys: IssuerKeys;

  constructor(private readonly settings: OidcSettings) {
    this.keys = new IssuerKeys(settings.issuer, settings.jwksUri);
  }

  get description(): string {
    return `tokens of ${this.settings.issuer} for ${this.settings.audience}`;
  }

  /** @throws Problem `unauthenticated`, `unavailable` */
  async verify(token: string): Promise<TokenHolder> {
    const { issuer, audience, algorithms, scopeClaims } = this.settings;
    const { payload, protectedHeader } = await jwtVerify(token, this.keys.find, {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['exp'],
    }).catch((error: unknown) => {
      throw error instanceof Problem ? error : rejectionOf(error, { iss: issuer, aud: audience });
    });
    const { typ }: { typ?: unknown } = protectedHeader;
    if (typ !== undefined && !(typeof typ === 'string' && TOKEN_TYPE.test(typ))) throw rejectedFor('typ');
    if (payload.iat !== undefined && payload.iat > Date.now() / 1000 + CLOCK_TOLERANCE) throw rejectedFor('iat');
    if (typeof payload.sub !== 'string' || payload.sub === '') throw rejectedFor('sub');
    const person = `${issuer} ${payload.sub}`;
    return {
      id: `oidc ${person}`,
      get name() {
        return `oidc ${hash('sha256', person).slice(0, 16)}`;
      },
      scopes: new Set(scopeClaims.flatMap((claim) => scopesIn(payload, claim, audience))),
    };
  }
}

/** @param required values that claims must have, by claim */
function rejectionOf(error: unknown, required: Readonly<Record<string, string>>): Problem {
  if (error instanceof errors.JWTExpired) return tokenRejected('The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed) return rejectedFor(error.claim, required[error.claim]);
  if (error instanceof errors.JOSEError) {
    return tokenRejected('The token is not signed as this service requires, or not by its issuer.');
  }
  // The token was parsed, so the key is at fault: too short, for example.
  return tokenRejected('The token is signed with a key of its issuer that this service cannot use.');
}

function rejectedFor(claim: string, required?: string): Problem {
  const fault = required === undefined ? 'not accepted by this service' : `not \`${required}\``;
  return tokenRejected(`The token's \`${claim}\` is missing or ${fault}.`);
}

/**
 * The scopes of this service in a claim: a string of scopes separated by spaces (RFC 8693 §4.2), or a list of scopes.
 * Cognito prefixes each scope with the audience.
 */
function scopesIn(payload: JWTPayload, claim: ScopeClaim, audience: string): Scope[] {
  const value: unknown = payload[claim];
  const granted = new Set<unknown>(typeof value === 'string' ? value.split(' ') : [value].flat());
  return scopes.filter((name) => granted.has(name) || granted.has(`${audience}/${name}`));
}
