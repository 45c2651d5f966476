import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  BookingNotFound,
  InvalidBooking,
  InvalidCursor,
  KeyReused,
  SlotTaken,
  StoreFull,
  StoreUnavailable,
} from './bookings/domain/booking.errors.js';
import { toSlotDto } from './bookings/domain/booking.js';
import { invalidBooking, Problem, problemReply, unavailable } from './edge/problem.js';
import { send } from './edge/reply.js';
import { pathOf } from './edge/request.js';
import { RequestLog } from './features/monitoring/request-log.js';

const INVALID_CURSOR = 'The cursor is damaged, or was made for another filter or order. Start again without it.';
const UNDECODABLE_PATH = 'The path cannot be decoded: it contains an escape that is not UTF-8.';

/** Turns every error of the application into problem details (RFC 9457). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: RequestLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const problem = problemOf(error);
    this.log.recordProblem(request, response, problem);
    // Closing the connection tells the client that the response is incomplete.
    if (response.headersSent) response.destroy();
    else send(response, problemReply(problem, pathOf(request)));
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SlotTaken) {
    return new Problem('slot-taken', undefined, { members: { conflicting_slot: toSlotDto(error.held) } });
  }
  if (error instanceof KeyReused) return new Problem('idempotency-key-reused');
  if (error instanceof BookingNotFound) return new Problem('booking-not-found');
  if (error instanceof InvalidBooking) return invalidBooking(error.errors);
  if (error instanceof InvalidCursor) {
    const errors = [{ pointer: '#/cursor', detail: 'is not a cursor of this list' }];
    return new Problem('invalid-request', INVALID_CURSOR, { members: { errors } });
  }
  // No `Retry-After`: only an operator can make room.
  if (error instanceof StoreFull) return new Problem('unavailable', error.message);
  if (error instanceof StoreUnavailable) return unavailable(error.message, error.cause);
  if (error instanceof NotFoundException) return new Problem('route-not-found');
  // If Express cannot decode a path, Nest turns its error into an exception.
  const isUndecodable = error instanceof HttpException && error.cause instanceof URIError;
  if (isUndecodable) return new Problem('invalid-request', UNDECODABLE_PATH);
  // Any other error is a fault of the service, Nest's other exceptions included: handlers throw only the errors above.
  return new Problem('internal', undefined, { cause: error });
}
