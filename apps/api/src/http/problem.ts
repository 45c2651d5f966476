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
  override readonly name = 'Problem';

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
    const { title, status } = problemTypes[this.type];
    const { members, headers = {} } = this.extras;
    const dto: ProblemDto = {
      type: problemType(this.type),
      title,
      status,
      detail: this.detail,
      instance,
      ...members,
    };
    return new Reply(status, PROBLEM_TYPE, JSON.stringify(dto), Object.entries(headers).flat());
  }
}
