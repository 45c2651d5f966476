/** Problem details (RFC 9457) that checks expect. */

import type { ReceivedResponse } from './exchange.js';
import { brief, expectThat } from './expectations.js';
import { type ProblemName, problemType, problemTypes } from './problem-types.js';
import { type Members, readObject } from './reading.js';

export function expectProblem(response: ReceivedResponse, name: ProblemName): Members {
  const { status } = problemTypes[name];
  const expected = `${status} ${name}`;
  expectThat(response, response.status === status, expected);
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

/** @throws Failure unless the problem has errors at some of these pointers, and at no other */
export function expectErrorsOf(response: ReceivedResponse, name: ProblemName, pointers: readonly string[]): void {
  expectProblem(response, name);
  const got = pointersOf(response);
  const isOf = got.length > 0 && got.every((pointer) => pointers.includes(pointer));
  expectThat(response, isOf, `errors at ${pointers.join(' or ')}`, `errors at ${brief(got)}`);
}

export function pointersOf(response: ReceivedResponse): string[] {
  const { errors } = readObject(response);
  expectThat(response, Array.isArray(errors), 'a list of `errors`');
  return (errors as Members[]).map(({ pointer }) => String(pointer));
}
