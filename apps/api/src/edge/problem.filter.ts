import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { HttpAdapter } from './http-adapter.js';
import { Problem, problemReply } from './problem.js';
import { send } from './reply.js';
import { pathOf, requestIdOf } from './request.js';

const UNDECODABLE_PATH = 'The path cannot be decoded: it contains an escape that is not UTF-8.';

/** Turns every error of the application into problem details (RFC 9457). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  /** @param translate returns the problem of an error of the domain */
  constructor(
    private readonly adapter: HttpAdapter,
    private readonly translate: (error: unknown) => Problem | undefined,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const problem = this.translate(error) ?? problemOf(error);
    this.adapter.observer?.rejected(problem, requestIdOf(response), response);
    // Closing the connection tells the client that the response is incomplete.
    if (response.headersSent) response.destroy();
    else send(response, problemReply(problem, pathOf(request)));
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof NotFoundException) return new Problem('route-not-found');
  // If Express cannot decode a path, Nest turns its error into an exception.
  const isUndecodable = error instanceof HttpException && error.cause instanceof URIError;
  if (isUndecodable) return new Problem('invalid-request', UNDECODABLE_PATH);
  // Any other error is a fault of the service, Nest's other exceptions included: handlers throw only the errors above.
  return new Problem('internal', undefined, { cause: error });
}
