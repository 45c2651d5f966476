import ipaddr from 'ipaddr.js';

export interface OidcSettings {
  /** Exact value of `iss`. */
  readonly issuer: string;
  /** Value that `aud` must be or contain. */
  readonly audience: string;
  /** URL of the issuer's keys; undefined to take it from the issuer's metadata. */
  readonly jwksUri: string | undefined;
  readonly algorithms: readonly SigningAlgorithm[];
  readonly scopeClaims: readonly ScopeClaim[];
}

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const;
const CURVES = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;
/** Asymmetric algorithms only, so that no public key can sign a token. */
export const signingAlgorithms = [...RSA, ...CURVES] as const;
type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** Claims that may hold scopes: `scope` (RFC 8693 §4.2), `scp` and `roles` (Entra ID), `permissions` (Auth0). */
export const scopeClaims = ['scope', 'scp', 'roles', 'permissions'] as const;
export type ScopeClaim = (typeof scopeClaims)[number];

export interface AuthSettings {
  readonly apiKeysFile: string | undefined;
  readonly oidc: OidcSettings | undefined;
}

/** Whether a host is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback');
}

/** Whether a URL is safe to fetch: `https` or this machine, without credentials, which `fetch` would reject. */
export function isHttpsOrLoopback(text: string): boolean {
  // `URL` alone would silently correct white space and backslashes.
  const url = /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isLoopback(url.hostname);
}
