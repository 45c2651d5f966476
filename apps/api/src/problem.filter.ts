import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { pathOf, Problem, send } from 'nest-http';
import { bookingProblem } from './bookings/booking-problems.js';
import { RequestLog } from './observability/request-log.js';

/** Responds to every error of the application with problem details (RFC 9457); the one place that does. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: RequestLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const problem = toProblem(error);
    this.log.explain(request, response, problem);
    // A response that has begun cannot become another one: cutting the connection is what tells the client.
    if (response.headersSent) response.destroy();
    else send(response, problem.toReply(pathOf(request)));
  }
}

/** What Nest and Express throw themselves: an unknown path, and one that cannot be decoded. */
const byStatus: Partial<Record<number, Problem>> = {
  400: new Problem('invalid-request', 'The path cannot be decoded: an escape in it is not UTF-8.'),
  404: new Problem('route-not-found'),
};

/** Every error, from wherever it was thrown, as the one problem that it is. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const ofNest = error instanceof HttpException ? byStatus[error.getStatus()] : undefined;
  const known = bookingProblem(error) ?? ofNest;
  if (known !== undefined) return known;
  return new Problem('internal', undefined, { cause: error });
}
