/** Scopes of a token (RFC 6749 §3.3). If the service requires tokens, each operation names the one that it needs. */
export const scopes = ['bookings:read', 'bookings:write'] as const;
export type Scope = (typeof scopes)[number];
