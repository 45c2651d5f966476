import { authenticationProblems, type Operation, type ProblemName } from '@booking-service/contracts';

/**
 * What a document says of tokens: that the service asks for none; that it asks for them; or, for
 * consumers who do not know yet which service they will meet, that it may.
 */
export type Tokens = 'none' | 'optional' | 'required';

const SCHEME = 'bearer';

export const securitySchemes = {
  [SCHEME]: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of the service, or an access token (JWT) of its OpenID Connect issuer (RFC 6750)',
  },
};

/** The security requirements of an operation: the scope of its token (OpenAPI 3.1.1 §4.8.30). */
export function securityOf({ scope }: Operation, tokens: Tokens): object[] {
  const token = { [SCHEME]: [scope] };
  return tokens === 'required' ? [token] : [{}, token];
}

/** The problems that an operation answers, those of its token among them. */
export function problemsOf({ problems }: Operation, tokens: Tokens): readonly ProblemName[] {
  return tokens === 'none' ? problems : [...problems, ...authenticationProblems];
}
