import { type OperationContract, operations, problemTypes } from '@booking-service/contracts';
import type { Request, Response } from 'express';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { RequestObserver } from '../../edge/http-adapter.js';
import { type Problem, statusOf } from '../../edge/problem.js';
import { createdId } from '../../edge/reply.js';
import { type CallersRequest, requestIdOf } from '../../edge/request.js';
import { inBrief, type Log } from '../../platform/observability/logger.js';
import type { Readiness } from '../../platform/observability/readiness.js';

export interface RequestLogSettings {
  readonly accessLog: boolean;
  /** Milliseconds after which a completed request is logged as slow. */
  readonly slowRequest: number;
}

type Outcome = 'completed' | 'aborted' | 'rejected' | 'failed';

interface Line {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly text: string;
  /** Fields besides those of every line. */
  readonly more?: object;
}

/** The status of an incomplete response in the log and the metrics, as in nginx; no client receives it. */
const CLIENT_GONE = 499;

function durationHistogram(registry: Registry) {
  return new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the start of a request, without its wait behind another, to the end of its response',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
}

function problemCounter(registry: Registry) {
  const counter = new Counter({
    name: 'http_problems_total',
    help: 'Error responses, by the last part of their problem type',
    labelNames: ['problem'],
    registers: [registry],
  });
  // Counters start at 0: `rate()` does not see the first increment of a new one.
  for (const problem of Object.keys(problemTypes)) counter.inc({ problem }, 0);
  return counter;
}

/** Operations with method and route, for the metrics and the log: an observer cannot read `@Operation`. */
const OPERATIONS = Object.entries<OperationContract>(operations).map(([id, { method, path }]) => {
  return { id, method, route: path.replaceAll(/\{(\w+)\}/g, ':$1') };
});

/**
 * Measures every request, and logs those that fail, are cut off or are slow; at level `debug` also rejected and aborted
 * ones; with the access log, all. Lines contain the ids of the request and of a created booking, but never the payload,
 * path, query, idempotency key or other headers.
 */
export class RequestLog implements RequestObserver {
  private readonly responseProblems = new WeakMap<Response, Problem>();
  private readonly slowSeconds: number;
  private readonly durations: ReturnType<typeof durationHistogram>;
  private readonly problems: ReturnType<typeof problemCounter>;

  constructor(
    private readonly log: Log,
    private readonly settings: RequestLogSettings,
    private readonly readiness: Readiness,
    registry: Registry,
  ) {
    this.slowSeconds = settings.slowRequest / 1_000;
    this.durations = durationHistogram(registry);
    this.problems = problemCounter(registry);
  }

  rejected(problem: Problem, requestId: string, response: Response | undefined): void {
    if (response !== undefined) return this.recordProblem(problem, response);
    this.problems.inc({ problem: problem.type });
    const fields = { request_id: requestId, status: statusOf(problem), outcome: 'rejected', ...problemFields(problem) };
    this.log[this.quietLevel](fields, 'Request rejected');
  }

  completed(request: Request, response: Response, seconds: number, sent: number | 'aborted'): void {
    const route = (request.route as { path: string } | undefined)?.path;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const operation = OPERATIONS.find((each) => each.route === route && each.method === method)?.id ?? 'other';
    const status = sent === 'aborted' ? CLIENT_GONE : sent;
    this.durations.observe({ operation, status }, seconds);
    const problem = this.responseProblems.get(response);
    const outcome = outcomeOf(status, problem);
    const line = problem && outcome === 'failed' ? failureOf(problem) : this.lineOf(outcome, seconds);
    // Computing a caller's name costs a hash, and most requests need no line.
    if (line === undefined || !this.log.isLevelEnabled(line.level)) return;
    const fields = {
      request_id: requestIdOf(response),
      operation,
      method: request.method,
      // The route instead of the path, which may contain anything.
      route,
      status,
      duration_ms: Math.round(seconds * 1e6) / 1_000,
      outcome,
      ...(problem && problemFields(problem)),
      caller: (request as CallersRequest).caller?.name,
      booking_id: createdId(response),
      ...line.more,
    };
    this.log[line.level](fields, line.text);
  }

  /** Records the problem of a request; logs a failure at once if the response is already closed. */
  private recordProblem(problem: Problem, response: Response): void {
    if (!response.closed) {
      this.problems.inc({ problem: problem.type });
      this.responseProblems.set(response, problem);
    } else if (statusOf(problem) >= 500) {
      const id = {
        request_id: requestIdOf(response),
        method: response.req.method,
        status: CLIENT_GONE,
        outcome: 'failed',
      };
      const { level, text, more } = failureOf(problem);
      this.log[level]({ ...id, ...problemFields(problem), ...more }, text);
    }
  }

  /** The line for a request that has not failed; undefined if the request needs none. */
  private lineOf(outcome: Outcome, seconds: number): Line | undefined {
    const level = this.quietLevel;
    if (outcome === 'aborted' && this.readiness.state === 'cutting') return { level: 'warn', text: 'Request cut off' };
    if (outcome === 'aborted') return { level, text: 'Request aborted' };
    // Also if it was slow: a caller without a token could write a line at `warn` for each request.
    if (outcome === 'rejected') return { level, text: 'Request rejected' };
    if (seconds >= this.slowSeconds) return { level: 'warn', text: 'Request slow' };
    return this.settings.accessLog ? { level, text: 'Request' } : undefined;
  }

  /** The level of lines that are hidden by default, and shown with the access log. */
  private get quietLevel(): 'info' | 'debug' {
    return this.settings.accessLog ? 'info' : 'debug';
  }
}

/** A stack only for faults of the service itself: no stack explains an unavailable store. */
function failureOf({ type, detail, extras: { cause } }: Problem): Line {
  const text = 'Request failed';
  if (type === 'internal') return { level: 'error', text, more: { err: cause } };
  return { level: 'warn', text, more: { reason: detail, cause: inBrief(cause) } };
}

function outcomeOf(status: number, problem: Problem | undefined): Outcome {
  if (problem !== undefined && statusOf(problem) >= 500) return 'failed';
  if (status === CLIENT_GONE) return 'aborted';
  return problem === undefined ? 'completed' : 'rejected';
}

/** Includes the detail only for rejected tokens: other details may quote the body. */
function problemFields({ type, detail }: Problem): object {
  const isOfToken = type === 'unauthenticated' || type === 'forbidden';
  return { problem: type, reason: isOfToken ? detail : undefined };
}
