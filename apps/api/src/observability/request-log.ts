import type { Request, Response } from 'express';
import type { Level } from 'pino';
import type { RequestObserver } from '../http/http-adapter.js';
import { operationOf } from '../http/routes.js';
import type { Problem } from '../http/problem.js';
import { requestIdOf } from '../http/request-head.js';
import { inBrief, type Log } from './logger.js';
import type { Metrics } from './metrics.js';
import type { Lifecycle } from './shutdown.js';

export interface RequestLogSettings {
  /** Whether every request gets a line. */
  readonly accessLog: boolean;
  /** Milliseconds from which a completed request gets a line. */
  readonly slowRequest: number;
}

/** One request, once its response is sent or its client is gone. */
interface CompletedRequest {
  readonly request: Request;
  readonly response: Response;
  /** The operation's id, or `other`. */
  readonly operation: string;
  /** `aborted` where the response was not sent to its end. */
  readonly status: number | 'aborted';
  /** From the arrival of the request. */
  readonly seconds: number;
}

/** Measures and logs every request, once it is completed. */
export function requestObserver(metrics: Metrics, log: RequestLog): RequestObserver {
  return (request, response, seconds, status) => {
    const operation = operationOf(request);
    metrics.requests.observe({ operation, status }, seconds);
    log.complete({ request, response, operation, status, seconds });
  };
}

/**
 * At most one line for a request: where it failed, was cut off by this service or was slow, and for all
 * of them if wanted. No line has a payload, a query, a key or a header but the id of the request.
 */
export class RequestLog {
  private readonly failures = new WeakMap<Response, Problem>();
  private readonly slowSeconds: number;

  constructor(
    private readonly log: Log,
    private readonly settings: RequestLogSettings,
    private readonly lifecycle: Lifecycle,
  ) {
    this.slowSeconds = settings.slowRequest / 1_000;
  }

  /** Keeps why a request fails for its line, or logs it at once where the request is over already. */
  fail(request: Request, response: Response, problem: Problem): void {
    if (response.closed) this.writeFailure({ method: request.method, status: 'aborted' }, response, problem);
    else this.failures.set(response, problem);
  }

  /** Writes the line of a completed request, if it gets one. */
  complete(completed: CompletedRequest): void {
    const { response, status, seconds } = completed;
    const isAborted = status === 'aborted';
    if (!isAborted && status < 500 && seconds < this.slowSeconds && !this.settings.accessLog) return;
    const failure = this.failures.get(response);
    if (failure !== undefined) this.writeFailure(fieldsOf(completed), response, failure);
    else if (isAborted && this.lifecycle.state === 'cutting') this.write('warn', completed, 'Request cut off');
    else if (!isAborted && status >= 500) this.write('error', completed, 'Request failed');
    else if (!isAborted && seconds >= this.slowSeconds) this.write('warn', completed, 'Request slow');
    else this.write(this.settings.accessLog ? 'info' : 'debug', completed, isAborted ? 'Request aborted' : 'Request');
  }

  /** Only a fault of the service itself gets its stack: an unavailable store is not mended by reading code. */
  private writeFailure(fields: object, response: Response, { type, detail, extras: { cause } }: Problem): void {
    const line = { request_id: requestIdOf(response), ...fields, reason: detail };
    if (type === 'internal') this.log.error({ ...line, err: cause }, 'Request failed');
    else this.log.warn({ ...line, cause: inBrief(cause) }, 'Request failed');
  }

  private write(level: Level, completed: CompletedRequest, message: string): void {
    this.log[level]({ request_id: requestIdOf(completed.response), ...fieldsOf(completed) }, message);
  }
}

/** The route and not the path: what callers put into a path is theirs. */
function fieldsOf({ request, operation, status, seconds }: CompletedRequest): object {
  const route = request.route as { path: string } | undefined;
  return {
    operation,
    method: request.method,
    route: route?.path,
    status,
    duration_ms: Math.round(seconds * 1e6) / 1_000,
  };
}
