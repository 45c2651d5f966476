import type { ProblemName } from './problem-types.js';

/** What a token may be good for (RFC 6749 §3.3). Each operation needs one of them, where the service asks for tokens. */
export const scopes = ['bookings:read', 'bookings:write'] as const;
export type Scope = (typeof scopes)[number];

/** What a service that asks for tokens answers to any operation, beside the operation's own problems. */
export const authenticationProblems = ['unauthenticated', 'forbidden'] as const satisfies ProblemName[];
