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
