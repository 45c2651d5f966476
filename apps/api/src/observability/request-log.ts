import type { Request, Response } from 'express';
import type { Level } from 'pino';
import type { Problem } from '../http/problem.js';
import { requestIdOf } from '../http/request-id.js';
import type { Lifecycle } from './lifecycle.js';
import type { Log } from './logger.js';
import { inBrief } from './error-fields.js';

export interface RequestLogSettings {
  /** Whether every request gets a line. */
  readonly accessLog: boolean;
  /** Milliseconds from which a request that was answered gets a line. */
  readonly slowRequest: number;
}

/** One request, when its answer is sent or its client is gone. */
export interface Answered {
  readonly request: Request;
  readonly response: Response;
  readonly operation: string;
  readonly status: number | 'aborted';
  /** From the arrival of the request. */
  readonly seconds: number;
}

/**
 * At most one line for a request: if it failed, was cut off by this service or was slow, and for all
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

  /** Keeps why a request fails, for its line; the client may be gone already. */
  fail(request: Request, response: Response, problem: Problem): void {
    if (response.closed) this.writeFailure({ method: request.method, status: 'aborted' }, response, problem);
    else this.failures.set(response, problem);
  }

  answered(answered: Answered): void {
    const { status, seconds } = answered;
    const isAborted = status === 'aborted';
    if (!isAborted && status < 500 && seconds < this.slowSeconds && !this.settings.accessLog) return;
    const { response } = answered;
    const failure = this.failures.get(response);
    if (failure !== undefined) this.writeFailure(fieldsOf(answered), response, failure);
    else if (isAborted && this.lifecycle.state === 'cutting') this.write('warn', answered, 'Request cut off');
    else if (!isAborted && status >= 500) this.write('error', answered, 'Request failed');
    else if (!isAborted && seconds >= this.slowSeconds) this.write('warn', answered, 'Request slow');
    else this.write(this.settings.accessLog ? 'info' : 'debug', answered, isAborted ? 'Request aborted' : 'Request');
  }

  /** Only what is a fault of the service itself has a stack: what waiting mends needs none. */
  private writeFailure(fields: object, response: Response, { type, detail, extras: { cause } }: Problem): void {
    const line = { request_id: requestIdOf(response), ...fields, reason: detail };
    if (type === 'internal') this.log.error({ ...line, err: cause }, 'Request failed');
    else this.log.warn({ ...line, cause: inBrief(cause) }, 'Request failed');
  }

  private write(level: Level, answered: Answered, message: string): void {
    this.log[level]({ request_id: requestIdOf(answered.response), ...fieldsOf(answered) }, message);
  }
}

/** The route and not the path: what callers put into a path is theirs. */
function fieldsOf({ request, operation, status, seconds }: Answered): object {
  const route = request.route as { path: string } | undefined;
  return {
    operation,
    method: request.method,
    route: route?.path,
    status,
    duration_ms: Math.round(seconds * 1e6) / 1_000,
  };
}
