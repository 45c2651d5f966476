import type { ProblemName } from './problem-types.js';

/** Scopes of a token (RFC 6749 §3.3). Each operation needs one of them if the service requires tokens. */
export const scopes = ['bookings:read', 'bookings:write'] as const;
export type Scope = (typeof scopes)[number];

/** Further problems of every operation if the service requires tokens. */
export const authenticationProblems = ['unauthenticated', 'forbidden'] as const satisfies ProblemName[];
