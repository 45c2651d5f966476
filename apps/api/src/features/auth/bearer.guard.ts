import type { IncomingMessage } from 'node:http';
import { operations } from '@booking-service/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessOf } from '../../edge/operation.js';
import type { CallersRequest } from '../../edge/request.js';
import { TokenVerifier } from './token-verifier.js';
import { forbidden, unauthenticated } from './token.js';

/** Admits requests whose token is valid for the operation, before the body is read. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly tokens: TokenVerifier) {}

  /** Sets the caller of the request. @throws Problem `unauthenticated`, `forbidden`, `unavailable` */
  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<CallersRequest>();
    const access = accessOf(context);
    if (access === 'public') return true;
    const caller = await this.tokens.verify(bearerToken(request));
    // The log line of a forbidden request names the caller too.
    request.caller = caller;
    if (access === 'any token') return true;
    const { scope } = operations[access!];
    if (!caller.scopes.has(scope)) throw forbidden(scope, caller);
    return true;
  }
}

// The scheme is case-insensitive (RFC 9110 §11.1); the token follows RFC 6750 §2.1.
const CREDENTIALS = /^Bearer +(?<token>[A-Za-z0-9._~+/-]+=*)$/i;

const NO_TOKEN = 'The request needs exactly one `Authorization: Bearer` header with a token.';

/** The bearer token, from the header alone: a token in a URL would end up in logs. @throws Problem `unauthenticated` */
export function bearerToken({ headersDistinct }: IncomingMessage): string {
  // `headers` silently drops a second Authorization header.
  const [credentials = '', ...others] = headersDistinct['authorization'] ?? [];
  if (others.length > 0) throw unauthenticated(NO_TOKEN, 'invalid_request');
  // A request that offers no bearer token gets no error code (RFC 6750 §3.1).
  if (!/^Bearer(?: |$)/i.test(credentials)) throw unauthenticated();
  const token = CREDENTIALS.exec(credentials)?.groups?.['token'];
  if (token === undefined) throw unauthenticated(NO_TOKEN, 'invalid_request');
  return token;
}
