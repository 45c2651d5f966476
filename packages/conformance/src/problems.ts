import type { Answer } from './exchange.js';
import { brief, expectThat } from './expectations.js';
import { type Members, readObject } from './reading.js';

/** The problems that a request can bring about, with their status. */
const statuses = {
  'invalid-request': 400,
  'booking-not-found': 404,
  'route-not-found': 404,
  'method-not-allowed': 405,
  'slot-taken': 409,
  'payload-too-large': 413,
  'unsupported-media-type': 415,
  'invalid-booking': 422,
  'idempotency-key-reused': 422,
} as const;

export type ProblemName = keyof typeof statuses;

/** Looks at the status and the `type`, by which callers decide; all else about problems has checks of its own. */
export function expectProblem(answer: Answer, name: ProblemName): Members {
  const expected = `${statuses[name]} ${name}`;
  expectThat(answer, answer.status === statuses[name], expected);
  const problem = readObject(answer);
  expectThat(answer, problem['type'] === `urn:problem-type:bookings:${name}`, expected);
  return problem;
}

/** A problem with an error at this pointer or below it. */
export function expectFault(answer: Answer, name: ProblemName, pointer: string): void {
  expectProblem(answer, name);
  const pointers = pointersOf(answer);
  const isThere = pointers.some((one) => one === pointer || one.startsWith(`${pointer}/`));
  expectThat(answer, isThere, `${name} with an error at ${pointer}`, `${name} with errors at ${brief(pointers)}`);
}

/** The pointers of a problem's `errors`. */
export function pointersOf(answer: Answer): string[] {
  const { errors } = readObject(answer);
  expectThat(answer, Array.isArray(errors), 'a list of `errors`');
  return (errors as Members[]).map(({ pointer }) => String(pointer));
}
