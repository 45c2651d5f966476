import {
  type FieldErrorDto,
  problemDetails as defaultDetails,
  type ProblemDto,
  type ProblemName,
  problemType,
  problemTypes,
} from '@booking-service/contracts';
import { ExpectedError } from '../platform/expected-error.js';
import { PROBLEM_TYPE, Reply } from './reply.js';

interface Extras {
  /** Extension members (RFC 9457 §3.2). */
  readonly members?: Pick<ProblemDto, 'errors' | 'conflicting_slot'>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Content of a problem response (RFC 9457). */
export interface ProblemDetails {
  readonly type: ProblemName;
  readonly detail: string;
  readonly extras: Extras;
}

/** Thrown problem details; `ProblemFilter` sends them. */
export class Problem extends ExpectedError implements ProblemDetails {
  constructor(
    readonly type: ProblemName,
    readonly detail: string = defaultDetails[type],
    readonly extras: Extras = {},
  ) {
    super(detail, { cause: extras.cause });
  }
}

export function invalidBooking(errors: FieldErrorDto[]): Problem {
  return new Problem('invalid-booking', undefined, { members: { errors } });
}

/** A request that may succeed in a second, on another replica or a new connection. */
export function unavailable(detail: string, cause?: unknown): Problem {
  return new Problem('unavailable', detail, { headers: { 'Retry-After': '1' }, cause });
}

export function statusOf({ type }: ProblemDetails): number {
  return problemTypes[type].status;
}

/** @param instance the request's path; empty where unknown */
export function problemReply(problem: ProblemDetails, instance: string): Reply {
  const body = JSON.stringify(toProblemDto(problem, instance));
  return new Reply(statusOf(problem), PROBLEM_TYPE, body, problem.extras.headers);
}

export function toProblemDto({ type, detail, extras }: ProblemDetails, instance: string): ProblemDto {
  const { title, status } = problemTypes[type];
  return { type: problemType(type), title, status, detail, instance, ...extras.members };
}
