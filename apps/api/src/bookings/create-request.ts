import { createBookingSchema, type CreateBookingDto } from '@booking-service/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { callerIdOf } from '../auth/token-verifier.js';
import { requestOf, responseOf } from '../http/context.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { jsonBodyOf } from '../http/json-body.js';

/** What a create is asked with. */
export interface CreateRequest {
  readonly callerId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly payload: CreateBookingDto;
}

/**
 * All of a create in one parameter, read in this order. Nest reads parameters without waiting for one another: a key
 * that is refused would not keep the client from being asked for its body.
 *
 * @throws Problem as `idempotencyKeyOf` and `jsonBodyOf` do
 */
export const CreateRequest = createParamDecorator(
  async (_: unknown, context: ExecutionContext): Promise<CreateRequest> => {
    const request = requestOf(context);
    const callerId = callerIdOf(request);
    const idempotencyKey = idempotencyKeyOf(request);
    const payload = await jsonBodyOf(request, responseOf(context), createBookingSchema);
    return { callerId, idempotencyKey, payload };
  },
);
