import {
  problemDetails,
  type ProblemDto,
  type ProblemName,
  problemType,
  problemTypes,
} from '@booking-service/contracts';
import { ExpectedError } from './expected-error.js';
import { PROBLEM_TYPE, Reply } from './reply.js';

interface ProblemExtras {
  /** Members of the problem in addition to those of RFC 9457. */
  members?: Pick<ProblemDto, 'errors' | 'conflicting_slot'>;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A response that is an error (RFC 9457): one problem type, what is wrong this time, and its headers. */
export class Problem extends ExpectedError {
  constructor(
    readonly type: ProblemName,
    readonly detail: string = problemDetails[type],
    readonly extras: ProblemExtras = {},
  ) {
    super(detail, { cause: extras.cause });
  }

  get status(): number {
    return problemTypes[this.type].status;
  }

  /** @param instance the path of the request; empty where it is not known */
  toReply(instance: string): Reply {
    return new Reply(this.status, PROBLEM_TYPE, JSON.stringify(this.toDto(instance)), this.extras.headers);
  }

  toDto(instance: string): ProblemDto {
    const { title, status } = problemTypes[this.type];
    return { type: problemType(this.type), title, status, detail: this.detail, instance, ...this.extras.members };
  }
}

/** What cannot be done now, and may succeed in a second: on another replica, or on a new connection. */
export function unavailable(detail: string, cause?: unknown): Problem {
  return new Problem('unavailable', detail, { headers: { 'Retry-After': '1' }, cause });
}
