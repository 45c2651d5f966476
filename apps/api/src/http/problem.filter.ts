import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { bookingProblem } from './problem-table.js';
import { answerProblem } from './answer.js';
import { requestOf, responseOf } from './context.js';
import { Problem } from './problem.js';
import { RequestLog } from '../observability/request-log.js';

/** Answers every error of the application as problem details (RFC 9457); the one place that does. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: RequestLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = requestOf(host);
    const response = responseOf(host);
    const problem = toProblem(error);
    if (problem.status >= 500) this.log.fail(request, response, problem);
    // An answer that has begun cannot become another one: cutting the connection is what tells the client.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    answerProblem(response, problem, request.path);
  }
}

/** Every error, from wherever it was thrown, as the one problem that it is. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const ofDomain = bookingProblem(error);
  if (ofDomain !== undefined) return ofDomain;
  // What Nest and Express throw themselves: an unknown path, a path that cannot be decoded.
  if (error instanceof HttpException && error.getStatus() === 404) {
    return new Problem('route-not-found', 'There is nothing at this path. The operations are under /v1/bookings.');
  }
  if (error instanceof HttpException && error.getStatus() === 400) {
    return new Problem('invalid-request', 'The path cannot be decoded: an escape in it is not UTF-8.');
  }
  return new Problem('internal', 'The service failed. The log has the cause under the id of this request.', {
    cause: error,
  });
}
