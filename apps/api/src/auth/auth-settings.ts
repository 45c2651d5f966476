import { z } from 'zod';
import { commaList } from '../comma-list.js';
import { isHttpsOrLoopback } from './https-or-loopback.js';
import { isSigningAlgorithm, type OidcSettings, type SigningAlgorithm, signingAlgorithms } from './oidc-settings.js';

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
