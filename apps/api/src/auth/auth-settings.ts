import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { commaList } from '../comma-list.js';

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

/** Which tokens are good: of one kind or of both. */
export type AuthSettings =
  | { readonly apiKeysFile: string; readonly oidc: OidcSettings | undefined }
  | { readonly apiKeysFile: undefined; readonly oidc: OidcSettings };

/** Of each family the one that issuers use. */
const DEFAULT_ALGORITHMS: SigningAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];

const url = z.string().refine(isHttpsOrLoopback, { error: 'must be a URL with https, or with http on this machine' });

/** The variables of authentication, a part of the environment in `config.ts`. */
export const authVariables = {
  AUTH_API_KEYS_FILE: z.string().optional(),
  AUTH_OIDC_ISSUER: url
    .refine((text) => !/[?#]/.test(text), { error: 'must be a URL without query and fragment' })
    .optional(),
  AUTH_OIDC_AUDIENCE: z.string().optional(),
  AUTH_OIDC_JWKS_URI: url.optional(),
  AUTH_OIDC_ALGORITHMS: commaList(isSigningAlgorithm, `must list some of ${signingAlgorithms.join(', ')}`).default(
    DEFAULT_ALGORITHMS,
  ),
};

/**
 * What is wrong between variables, each of which may be right by itself. A setting of the issuer without
 * the issuer is a fault: whoever set it takes the service for guarded.
 */
export function authFaults(given: Record<string, unknown>): string[] {
  if (given['AUTH_OIDC_ISSUER'] === undefined) {
    return Object.keys(authVariables)
      .filter((name) => name.startsWith('AUTH_OIDC_') && given[name] !== undefined)
      .map((name) => `${name} needs AUTH_OIDC_ISSUER beside it`);
  }
  // Without an audience, whatever the issuer signs for any other service would be good here.
  return given['AUTH_OIDC_AUDIENCE'] === undefined ? ['AUTH_OIDC_ISSUER needs AUTH_OIDC_AUDIENCE beside it'] : [];
}

/** @returns undefined where the service asks for no token */
export function authSettings(settings: z.output<z.ZodObject<typeof authVariables>>): AuthSettings | undefined {
  const { AUTH_API_KEYS_FILE: apiKeysFile, AUTH_OIDC_ISSUER: issuer, AUTH_OIDC_AUDIENCE: audience } = settings;
  const oidc =
    issuer === undefined || audience === undefined
      ? undefined
      : { issuer, audience, jwksUri: settings.AUTH_OIDC_JWKS_URI, algorithms: settings.AUTH_OIDC_ALGORITHMS };
  if (apiKeysFile !== undefined) return { apiKeysFile, oidc };
  return oidc && { apiKeysFile, oidc };
}

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
