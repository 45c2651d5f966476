import type { FieldErrorDto, ProblemName } from '@booking-service/contracts';

/** A request that is rejected with a problem. */
export class Rejected extends Error {
  constructor(
    readonly problem: ProblemName,
    readonly members: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(problem);
  }

  /** A query with a fault at one parameter. */
  static at(pointer: string): Rejected {
    const errors: FieldErrorDto[] = [{ pointer, detail: 'is not one of this list' }];
    return new Rejected('invalid-request', { errors });
  }
}
