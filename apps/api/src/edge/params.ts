import { operations, type Operation } from '@booking-service/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { jsonBodyOf } from './json-body.js';
import { accessOf } from './operation.js';
import { readQuery } from './query.js';
import { type CallersRequest, idempotencyKeyOf, queryOf } from './request.js';

/** The query, validated by the operation's schema. @throws Problem `invalid-request` */
export const ValidQuery = createParamDecorator((_, context) =>
  readQuery(operationOf(context).query!, queryOf(requestOf(context))),
);

/** The `Idempotency-Key` and the caller; undefined without the header. @throws Problem `invalid-request` */
export const IdempotencyKey = createParamDecorator((_, context) => {
  const request = requestOf(context);
  const key = idempotencyKeyOf(request);
  return key === undefined ? undefined : { key, callerId: request.caller?.id };
});

/**
 * The body, validated by the operation's schema. Nest evaluates all parameters at once, so the key is checked here too:
 * no 100 Continue asks for the body of a request with an invalid key (RFC 9110 §10.1.1).
 *
 * @throws Problem as `jsonBodyOf`
 */
export const JsonBody = createParamDecorator((_, context) => {
  const request = requestOf(context);
  idempotencyKeyOf(request);
  return jsonBodyOf(request, operationOf(context).body!);
});

function requestOf(context: ExecutionContext): CallersRequest {
  return context.switchToHttp().getRequest();
}

function operationOf(context: ExecutionContext): Operation {
  return operations[accessOf(context) as keyof typeof operations];
}
