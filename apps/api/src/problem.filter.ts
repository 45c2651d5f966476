import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { pathOf } from './http/request-head.js';
import { Problem, unavailable } from './http/problem.js';
import { send } from './http/reply.js';
import { toSlotDto } from './bookings/booking.js';
import {
  BookingNotFound,
  InvalidCursor,
  KeyReused,
  SlotTaken,
  StoreFull,
  StoreUnavailable,
} from './bookings/booking.errors.js';
import { RequestLog } from './observability/request-log.js';

const UNDECODABLE_PATH = 'The path cannot be decoded: it contains an escape that is not UTF-8.';

/** Turns every error of the application into a response with problem details (RFC 9457); nothing else does. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: RequestLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const problem = toProblem(error);
    this.log.recordProblem(request, response, problem);
    // A response that has begun cannot be replaced: closing the connection shows the client that it is incomplete.
    if (response.headersSent) response.destroy();
    else send(response, problem.toReply(pathOf(request)));
  }
}

/** The problem of an error, wherever it was thrown. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof BookingNotFound) return new Problem('booking-not-found', error.message);
  if (error instanceof InvalidCursor) {
    const errors = [{ pointer: '#/cursor', detail: 'is not a cursor of this list' }];
    return new Problem('invalid-request', error.message, { members: { errors } });
  }
  if (error instanceof SlotTaken) {
    return new Problem('slot-taken', error.message, { members: { conflicting_slot: toSlotDto(error.held) } });
  }
  if (error instanceof KeyReused) return new Problem('idempotency-key-reused', error.message);
  // Without `Retry-After`: only an operator can make room.
  if (error instanceof StoreFull) return new Problem('unavailable', error.message);
  if (error instanceof StoreUnavailable) return unavailable(error.message, error.cause);
  // Nest and Express throw these: for an unknown path, and for one that cannot be decoded.
  const status = error instanceof HttpException ? error.getStatus() : undefined;
  if (status === 404) return new Problem('route-not-found');
  if (status === 400) return new Problem('invalid-request', UNDECODABLE_PATH);
  return new Problem('internal', undefined, { cause: error });
}
