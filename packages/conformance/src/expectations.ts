import type { Answer } from './exchange.js';
import { Failure } from './failure.js';

/** @throws Failure unless the condition holds; `got` is the whole answer where it is not said */
export function expectThat(answer: Answer, condition: boolean, expected: string, got = summaryOf(answer)): void {
  if (!condition) throw new Failure(expected, got, answer.request);
}

/** @throws Failure unless both are the same JSON; the order of members does not count */
export function expectSame(answer: Answer, what: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [sorted(actual), sorted(expected)];
  expectThat(answer, got === wanted, `${what}: ${brief(wanted)}`, `${what}: ${brief(got)}`);
}

/** @throws Failure unless the body has exactly these characters */
export function expectText(answer: Answer, expected: string): void {
  expectThat(answer, answer.text === expected, `the body ${brief(expected)}`, `the body ${brief(answer.text)}`);
}

export function expectStatus(answer: Answer, status: number): void {
  expectThat(answer, answer.status === status, `status ${status}`);
}

/** Any success: for a check that is about something else than the status. */
export function expectSuccess(answer: Answer): void {
  expectThat(answer, isSuccess(answer), 'a success');
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** @param expected undefined where the header must not be there */
export function expectHeader(answer: Answer, name: string, expected: string | undefined): void {
  const got = answer.headers[name];
  expectThat(answer, got === expected, `${name}: ${expected ?? '(absent)'}`, `${name}: ${got ?? '(absent)'}`);
}

/** A value as people read it in a report, at most 300 characters of it. */
export function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= 300 ? text : `${text.slice(0, 300)}... (${text.length} characters)`;
}

function summaryOf({ status, text }: Answer): string {
  return text === '' ? `status ${status}` : `status ${status}, ${brief(text)}`;
}

/** JSON with the members of every object in one order. */
function sorted(value: unknown): string {
  const inOrder = (_: string, member: unknown): unknown =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return value === undefined ? '(absent)' : JSON.stringify(value, inOrder);
}
