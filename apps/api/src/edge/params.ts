import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { readJson } from './json-body.js';
import { type CallersRequest, idempotencyKeyOf } from './request.js';

/** The `Idempotency-Key` and the caller's id; undefined without the header. @throws Problem `invalid-request` */
export const IdempotencyKey = createParamDecorator((_, context) => {
  const request = requestOf(context);
  const key = idempotencyKeyOf(request);
  return key === undefined ? undefined : { key, callerId: request.caller?.id };
});

/**
 * The parsed JSON body. Nest evaluates all parameters of a handler at once, so the `Idempotency-Key` is checked here
 * too: a client that sends an invalid one must not be asked for the body by a 100 Continue (RFC 9110 §10.1.1).
 *
 * @throws Problem as `readJson` does, and `invalid-request` for an invalid key
 */
export const JsonBody = createParamDecorator((_, context) => {
  const request = requestOf(context);
  idempotencyKeyOf(request);
  return readJson(request);
});

function requestOf(context: ExecutionContext): CallersRequest {
  return context.switchToHttp().getRequest();
}
