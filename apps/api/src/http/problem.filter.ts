import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { answer, PROBLEM_TYPE } from './answer.js';
import { toProblem } from './problems.js';
import { REQUEST_ID_HEADER } from './request-id.js';

/** Answers every error of the application as problem details (RFC 9457); the one place that does. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem = toProblem(error);
    if (problem.status >= 500) {
      const cause = problem.extras.cause;
      this.logger.error(
        `${request.method} ${request.path} ${problem.status} ${problem.detail} request ${String(response.getHeader(REQUEST_ID_HEADER))}`,
        cause instanceof Error ? cause.stack : cause,
      );
    }
    // An answer that has begun cannot become another one: cutting the connection is what tells the client.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(problem.extras.headers ?? {})) response.setHeader(name, value);
    answer(response, problem.status, PROBLEM_TYPE, JSON.stringify(problem.toDto(pathOf(request))));
  }
}

/** The path as it was sent, without the query. */
function pathOf(request: Request): string {
  return request.originalUrl.split(/[?#]/, 1)[0]!;
}
