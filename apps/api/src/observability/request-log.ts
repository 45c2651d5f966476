import type { Request, Response } from 'express';
import { operationOf } from '../http/routes.js';
import type { Problem } from '../http/problem.js';
import { type CallersRequest, requestIdOf } from '../http/request-head.js';
import type { RequestObserver } from '../http/connections.js';
import type { HttpAdapter } from '../http/http-adapter.js';
import { inBrief, type Log } from './logger.js';
import type { Metrics } from './metrics.js';

export interface RequestLogSettings {
  /** Whether every request is logged. */
  readonly accessLog: boolean;
  /** Milliseconds after which a completed request is logged as slow. */
  readonly slowRequest: number;
}

/** A request whose response was sent or whose client left. */
interface CompletedRequest {
  readonly request: Request;
  readonly response: Response;
  /** The operation's id, or `other`. */
  readonly operation: string;
  /** {@link CLIENT_GONE} if the response was not sent completely. */
  readonly status: number;
  /** From the arrival of the request. */
  readonly seconds: number;
}

/** The status of a request whose response was not sent completely, as in nginx. No response has it. */
const CLIENT_GONE = 499;

/** Pointers in a line, and characters of each: a payload can have thousands of faults, and names of any length. */
const MAX_POINTERS = 5;
const MAX_POINTER_LENGTH = 100;

/** Measures and logs every request when it is completed. */
export function requestObserver(metrics: Metrics, log: RequestLog): RequestObserver {
  return {
    completed: (request, response, seconds, sent) => {
      const operation = operationOf(request);
      const status = sent === 'aborted' ? CLIENT_GONE : sent;
      metrics.requests.observe({ operation, status }, seconds);
      log.complete({ request, response, operation, status, seconds });
    },
    rejected: (problem, requestId, response) => {
      if (response === undefined) log.rejectMalformed(requestId, problem);
      else log.recordProblem(response.req as Request, response, problem);
    },
  };
}

/**
 * Writes at most one line for a request: if it failed, was cut off by this service or was slow, at the level of debug if
 * it was rejected, and for every request with the access log. No line has a payload, a query, a key or a header other
 * than the request's id.
 */
export class RequestLog {
  private readonly responseProblems = new WeakMap<Response, Problem>();
  private readonly slowSeconds: number;

  constructor(
    private readonly log: Log,
    private readonly settings: RequestLogSettings,
    private readonly server: HttpAdapter,
    private readonly metrics: Metrics,
  ) {
    this.slowSeconds = settings.slowRequest / 1_000;
  }

  /** Records the problem that a request is answered with; logs a failure at once if the response is already closed. */
  recordProblem(request: Request, response: Response, problem: Problem): void {
    if (!response.closed) {
      this.metrics.problems.inc({ problem: problem.type });
      this.responseProblems.set(response, problem);
    } else if (problem.status >= 500) {
      const id = { request_id: requestIdOf(response), method: request.method, status: CLIENT_GONE, outcome: 'failed' };
      this.writeProblem({ ...id, ...problemFields(problem) }, problem);
    }
  }

  /** Logs a response to bytes that were not an HTTP request. */
  rejectMalformed(requestId: string, problem: Problem): void {
    this.metrics.problems.inc({ problem: problem.type });
    const { status } = problem;
    this.writeProblem({ request_id: requestId, status, outcome: 'rejected', ...problemFields(problem) }, problem);
  }

  /** Writes the line of a completed request, if it has one. */
  complete(completed: CompletedRequest): void {
    const { request, response, status, seconds } = completed;
    const { accessLog } = this.settings;
    const isSlow = seconds >= this.slowSeconds && status !== CLIENT_GONE;
    if (!accessLog && !isSlow && status < 500 && status !== CLIENT_GONE && !this.log.isLevelEnabled('debug')) return;
    const problem = this.responseProblems.get(response);
    const outcome = outcomeOf(status, problem);
    // Made only for a line that is written: the name of a caller is a hash.
    const fields = (): object => ({
      ...fieldsOf(completed),
      outcome,
      ...(problem && problemFields(problem)),
      caller: (request as CallersRequest).caller?.name,
    });
    if (problem !== undefined && outcome !== 'aborted') this.writeProblem(fields(), problem);
    else if (outcome === 'aborted' && this.server.state === 'cutting') this.log.warn(fields(), 'Request cut off');
    else if (isSlow) this.log.warn(fields(), 'Request slow');
    else if (outcome === 'aborted') this.log[accessLog ? 'info' : 'debug'](fields(), 'Request aborted');
    else if (accessLog) this.log.info(fields(), 'Request');
  }

  /** Only a fault of the service itself is logged with its stack: code does not explain an unavailable store. */
  private writeProblem(fields: object, { type, status, detail, extras: { cause } }: Problem): void {
    if (type === 'internal') this.log.error({ ...fields, err: cause }, 'Request failed');
    else if (status >= 500) this.log.warn({ ...fields, reason: detail, cause: inBrief(cause) }, 'Request failed');
    else this.log[this.settings.accessLog ? 'info' : 'debug'](fields, 'Request rejected');
  }
}

function outcomeOf(status: number, problem: Problem | undefined): 'completed' | 'aborted' | 'rejected' | 'failed' {
  if (problem !== undefined && problem.status >= 500) return 'failed';
  if (status === CLIENT_GONE) return 'aborted';
  return problem === undefined ? 'completed' : 'rejected';
}

/** The route, not the path, which contains what callers choose. */
function fieldsOf({ request, response, operation, status, seconds }: CompletedRequest): object {
  const route = request.route as { path: string } | undefined;
  return {
    request_id: requestIdOf(response),
    operation,
    method: request.method,
    route: route?.path,
    status,
    duration_ms: Math.round(seconds * 1e6) / 1_000,
  };
}

/** Only the detail of a rejected token, which never quotes it: that of invalid JSON quotes the body. */
function problemFields({ type, detail, extras: { errors } }: Problem): object {
  const pointers = errors?.slice(0, MAX_POINTERS).map(({ pointer }) => pointer.slice(0, MAX_POINTER_LENGTH));
  const isOfToken = type === 'unauthenticated' || type === 'forbidden';
  return { problem: type, pointers, reason: isOfToken ? detail : undefined };
}
