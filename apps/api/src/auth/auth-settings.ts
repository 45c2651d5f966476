import type { OidcSettings } from './oidc-settings.js';

/** Which tokens are accepted: of one kind or of both. */
export type AuthSettings =
  | { readonly apiKeysFile: string; readonly oidc: OidcSettings | undefined }
  | { readonly apiKeysFile: undefined; readonly oidc: OidcSettings };
