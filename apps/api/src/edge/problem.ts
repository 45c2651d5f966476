import {
  type FieldErrorDto,
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

/** Problem details to throw (RFC 9457); `ProblemFilter` sends them. */
export class Problem extends ExpectedError {
  constructor(
    readonly type: ProblemName,
    readonly detail: string = problemTypes[type].detail,
    readonly extras: Extras = {},
  ) {
    super(detail, { cause: extras.cause });
  }
}

export function invalidBooking(errors: FieldErrorDto[]): Problem {
  return new Problem('invalid-booking', undefined, { members: { errors } });
}

/** Asks the client to try again in a second: another replica, or this one with a new connection, may succeed. */
export function unavailable(detail: string, cause?: unknown): Problem {
  return new Problem('unavailable', detail, { headers: { 'Retry-After': '1' }, cause });
}

export function statusOf({ type }: Problem): number {
  return problemTypes[type].status;
}

/** @param instance the request's path; empty if unknown */
export function problemReply({ type, detail, extras }: Problem, instance: string): Reply {
  const { title, status } = problemTypes[type];
  const body: ProblemDto = { type: problemType(type), title, status, detail, instance, ...extras.members };
  return new Reply(status, { type: PROBLEM_TYPE, body: JSON.stringify(body), headers: extras.headers });
}
