import { type CanActivate, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { readJson } from './json-body.js';
import { type CallersRequest, idempotencyKeyOf } from './request.js';

/** The `Idempotency-Key` and the caller's id; undefined without the header. @throws Problem `invalid-request` */
export const IdempotencyKey = createParamDecorator((_, context) => {
  const request = requestOf(context);
  const key = idempotencyKeyOf(request);
  return key === undefined ? undefined : { key, callerId: request.caller?.id };
});

/** The parsed JSON body. @throws Problem as `readJson` does */
export const JsonBody = createParamDecorator((_, context) => readJson(requestOf(context)));

/**
 * Rejects an invalid `Idempotency-Key` before the handler's parameters are read, all at once: its client must not be
 * asked for the body by a 100 Continue (RFC 9110 §10.1.1).
 */
export class IdempotencyKeyGuard implements CanActivate {
  /** @throws Problem `invalid-request` */
  canActivate(context: ExecutionContext): true {
    idempotencyKeyOf(requestOf(context));
    return true;
  }
}

function requestOf(context: ExecutionContext): CallersRequest {
  return context.switchToHttp().getRequest();
}
