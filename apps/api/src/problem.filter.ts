import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { pathOf } from './http/request-head.js';
import { Problem } from './http/problem.js';
import { send } from './http/reply.js';
import { BookingNotFound, InvalidCursor, StoreUnavailable } from './bookings/booking.errors.js';
import { RequestLog } from './observability/request-log.js';

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

/** Errors that Nest and Express throw: for an unknown path, and for one that cannot be decoded. */
const byStatus: Partial<Record<number, Problem>> = {
  400: new Problem('invalid-request', 'The path cannot be decoded: it contains an escape that is not UTF-8.'),
  404: new Problem('route-not-found'),
};

/** The problem of an error, wherever it was thrown. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const ofNest = error instanceof HttpException ? byStatus[error.getStatus()] : undefined;
  const known = bookingProblem(error) ?? ofNest;
  if (known !== undefined) return known;
  return new Problem('internal', undefined, { cause: error });
}

type ErrorClass<Thrown> = abstract new (...given: never[]) => Thrown;

/** A row of the table below: the problem for errors of a class. */
function row<Thrown extends Error>(type: ErrorClass<Thrown>, make: (error: Thrown) => Problem) {
  return [type, make] as [unknown, (error: Error) => Problem];
}

const ofTheDomain = new Map([
  row(BookingNotFound, ({ message }) => new Problem('booking-not-found', message)),
  row(InvalidCursor, ({ message }) => {
    const errors = [{ pointer: '#/cursor', detail: 'is not a cursor of this list' }];
    return new Problem('invalid-request', message, { errors });
  }),
  row(StoreUnavailable, ({ message, retryAfter, cause }) => {
    return new Problem('unavailable', message, { headers: { 'Retry-After': String(retryAfter) }, cause });
  }),
]);

/** The problem for an error of the domain; undefined for other errors. */
function bookingProblem(error: unknown): Problem | undefined {
  return error instanceof Error ? ofTheDomain.get(error.constructor)?.(error) : undefined;
}
