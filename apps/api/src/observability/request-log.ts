import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import { operationOf } from '../http/routes.js';
import type { Problem } from '../http/problem.js';
import { requestIdOf } from '../http/request-head.js';
import type { RequestObserver } from '../http/http-adapter.js';
import { callerNameOf } from '../auth/token-verifier.js';
import { inBrief, type Log, LOG } from './logger.js';
import { Metrics } from './metrics.js';
import { type loggedRefusals, RefusalLines } from './refusal-lines.js';
import { Lifecycle } from './shutdown.js';

export const REQUEST_LOG_SETTINGS = Symbol('request log settings');

export interface RequestLogSettings {
  /** Whether every request gets a line. */
  readonly accessLog: boolean;
  /** Which refused requests get a line where not every request does. */
  readonly refusals: (typeof loggedRefusals)[number];
  /** Milliseconds from which a completed request gets a line. */
  readonly slowRequest: number;
}

/** One request, once its response is sent or its client is gone. */
interface CompletedRequest {
  readonly request: Request;
  readonly response: Response;
  /** The operation's id, or `other`. */
  readonly operation: string;
  /** {@link CLIENT_GONE} where the response was not sent to its end. */
  readonly status: number;
  /** From the arrival of the request. */
  readonly seconds: number;
}

/** The status of a request whose response was not sent to its end, as nginx writes it. No response has it. */
const CLIENT_GONE = 499;

/** Pointers of one line, and characters of one: a payload can have thousands of faults, with names of any length. */
const MAX_POINTERS = 5;
const MAX_POINTER_LENGTH = 100;

/** Measures and logs every request, once it is completed. */
export function requestObserver(metrics: Metrics, log: RequestLog): RequestObserver {
  return {
    completed: (request, response, seconds, sent) => {
      const operation = operationOf(request);
      const status = sent === 'aborted' ? CLIENT_GONE : sent;
      metrics.requests.observe({ operation, status }, seconds);
      log.complete({ request, response, operation, status, seconds });
    },
    rejected: (problem, requestId, response) => {
      if (response === undefined) log.refuse(requestId, problem);
      else log.explain(response.req as Request, response, problem);
    },
  };
}

/**
 * At most one line for a request: where it was refused, failed, was cut off by this service or was slow, and for all
 * of them if wanted. No line has a payload, a query, a key or a header but the id of the request.
 */
@Injectable()
export class RequestLog implements OnApplicationShutdown {
  private readonly explained = new WeakMap<Response, Problem>();
  private readonly slowSeconds: number;
  private readonly lines: RefusalLines;

  constructor(
    @Inject(LOG) private readonly log: Log,
    @Inject(REQUEST_LOG_SETTINGS) private readonly settings: RequestLogSettings,
    private readonly lifecycle: Lifecycle,
    private readonly metrics: Metrics,
  ) {
    this.slowSeconds = settings.slowRequest / 1_000;
    this.lines = new RefusalLines(log, settings.refusals);
  }

  /** Keeps which problem a request is responded to with, or logs a failure whose request is over already. */
  explain(request: Request, response: Response, problem: Problem): void {
    if (!response.closed) {
      this.metrics.problems.inc({ problem: problem.type });
      this.explained.set(response, problem);
    } else if (problem.status >= 500) {
      const id = { request_id: requestIdOf(response), method: request.method, status: CLIENT_GONE, outcome: 'failed' };
      this.writeProblem({ ...id, ...problemFields(problem) }, problem);
    }
  }

  /** Logs a response to what was no request. */
  refuse(requestId: string, problem: Problem): void {
    this.metrics.problems.inc({ problem: problem.type });
    if (!this.isWritten(problem)) return;
    const { status } = problem;
    this.writeProblem({ request_id: requestId, status, outcome: 'refused', ...problemFields(problem) }, problem);
  }

  /** Writes the line of a completed request, if it gets one. */
  complete(completed: CompletedRequest): void {
    const { request, response, status, seconds } = completed;
    const { accessLog } = this.settings;
    const isSlow = seconds >= this.slowSeconds && status !== CLIENT_GONE;
    if (status < 400 && !isSlow && !accessLog) return;
    const problem = this.explained.get(response);
    const outcome = outcomeOf(status, problem);
    // Only for a line that is written: the name of a caller is a hash.
    const fields = (): object => ({
      ...fieldsOf(completed),
      outcome,
      ...(problem && problemFields(problem)),
      caller: callerNameOf(request),
    });
    if (problem !== undefined && outcome !== 'aborted' && this.isWritten(problem)) this.writeProblem(fields(), problem);
    else if (outcome === 'aborted' && this.lifecycle.state === 'cutting') this.log.warn(fields(), 'Request cut off');
    else if (isSlow) this.log.warn(fields(), 'Request slow');
    else if (outcome === 'aborted') this.log[accessLog ? 'info' : 'debug'](fields(), 'Request aborted');
    else if (accessLog) this.log.info(fields(), 'Request');
  }

  private isWritten({ type }: Problem): boolean {
    return this.settings.accessLog || type === 'internal' || this.lines.take(type);
  }

  /** Called by Nest after the last request. */
  onApplicationShutdown(): void {
    this.lines.end();
  }

  /** Only a fault of the service itself gets its stack: an unavailable store is not mended by reading code. */
  private writeProblem(fields: object, { type, status, detail, extras: { cause } }: Problem): void {
    if (type === 'internal') this.log.error({ ...fields, err: cause }, 'Request failed');
    else if (status >= 500) this.log.warn({ ...fields, reason: detail, cause: inBrief(cause) }, 'Request failed');
    else this.log.notice(fields, 'Request refused');
  }
}

function outcomeOf(status: number, problem: Problem | undefined): 'completed' | 'aborted' | 'refused' | 'failed' {
  if (problem !== undefined && problem.status >= 500) return 'failed';
  if (status === CLIENT_GONE) return 'aborted';
  return problem === undefined ? 'completed' : 'refused';
}

/** The route and not the path: what callers put into a path is theirs. */
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

/** Not the detail of every problem: that of a body that is no JSON quotes it. That of a token never has any of it. */
function problemFields({ type, detail, extras: { errors } }: Problem): object {
  const pointers = errors?.slice(0, MAX_POINTERS).map(({ pointer }) => pointer.slice(0, MAX_POINTER_LENGTH));
  return { problem: type, pointers, reason: type === 'unauthenticated' ? detail : undefined };
}
