import ipaddr from 'ipaddr.js';

export interface OidcSettings {
  /** The exact value of `iss`. */
  readonly issuer: string;
  /** What `aud` has to be or to contain. */
  readonly audience: string;
  /** URL of the issuer's keys; undefined to take it from the issuer's metadata. */
  readonly jwksUri: string | undefined;
  readonly algorithms: readonly SigningAlgorithm[];
  /** Where the scopes of a token are. */
  readonly scopeClaims: readonly ScopeClaim[];
}

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const;
const CURVES = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;
/** Algorithms of signatures: asymmetric ones only, so that no public key can make a token. */
export const signingAlgorithms = [...RSA, ...CURVES] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** Claims that may hold scopes: `scope` (RFC 8693 §4.2), and those of Entra ID (`scp`, `roles`) and Auth0 (`permissions`). */
export const scopeClaims = ['scope', 'scp', 'roles', 'permissions'] as const;
export type ScopeClaim = (typeof scopeClaims)[number];

/** The accepted tokens: of one kind or of both. */
export interface AuthSettings {
  readonly apiKeysFile: string | undefined;
  readonly oidc: OidcSettings | undefined;
}

/** Whether an address is one of this machine only. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback');
}

/** Whether what is fetched from a URL is protected on its way. `fetch` does not accept a URL with credentials. */
export function isHttpsOrLoopback(text: string): boolean {
  // A URL that `URL` has to correct is not the one that the issuer writes.
  const url = /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isLoopback(url.hostname);
}
