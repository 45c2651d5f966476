import ipaddr from 'ipaddr.js';

export interface OidcSettings {
  /** What `iss` has to be, character by character. */
  readonly issuer: string;
  /** What `aud` has to be or to contain. */
  readonly audience: string;
  /** Where the keys of the issuer are; else its metadata say so. */
  readonly jwksUri: string | undefined;
  readonly algorithms: readonly SigningAlgorithm[];
}

/** What a token may be signed with: by the private key of a pair alone, so that no public key makes a token. */
export const signingAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

export function isSigningAlgorithm(text: string): text is SigningAlgorithm {
  return (signingAlgorithms as readonly string[]).includes(text);
}

/** Which tokens are accepted: of one kind or of both. */
export type AuthSettings =
  | { readonly apiKeysFile: string; readonly oidc: OidcSettings | undefined }
  | { readonly apiKeysFile: undefined; readonly oidc: OidcSettings };

/** Whether an address is one of this machine only. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback');
}

/** Whether nobody between can change what is fetched from a URL. */
export function isHttpsOrLoopback(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}
