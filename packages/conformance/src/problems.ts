/** Problem details (RFC 9457) that checks expect. */

import type { ReceivedResponse } from './exchange.js';
import { brief, expectThat } from './expectations.js';
import { type Members, readObject } from './reading.js';

/** The status of each problem that checks expect, by name of the problem. */
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

export function problemType(name: ProblemName): string {
  return `urn:problem-type:bookings:${name}`;
}

export function expectProblem(response: ReceivedResponse, name: ProblemName): Members {
  const expected = `${statuses[name]} ${name}`;
  expectThat(response, response.status === statuses[name], expected);
  const problem = readObject(response);
  expectThat(response, problem['type'] === problemType(name), expected);
  return problem;
}

/** @throws Failure unless the problem has an error at or below the pointer */
export function expectErrorAt(response: ReceivedResponse, name: ProblemName, pointer: string): void {
  expectProblem(response, name);
  const pointers = pointersOf(response);
  const isThere = pointers.some((each) => each === pointer || each.startsWith(`${pointer}/`));
  expectThat(response, isThere, `${name} with an error at ${pointer}`, `${name} with errors at ${brief(pointers)}`);
}

export function pointersOf(response: ReceivedResponse): string[] {
  const { errors } = readObject(response);
  expectThat(response, Array.isArray(errors), 'a list of `errors`');
  return (errors as Members[]).map(({ pointer }) => String(pointer));
}
