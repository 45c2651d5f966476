/** Expectations of responses. If one is not met, it throws a `Failure` that says what was expected and what arrived. */

import type { ReceivedBytes, ReceivedResponse } from './exchange.js';
import { Failure } from './failure.js';

/** Maximum characters that a report shows of the start, or of the end, of a text. */
const MAX_SHOWN = 300;

export function expectThat(
  response: ReceivedResponse,
  condition: boolean,
  expected: string,
  got = summaryOf(response),
): void {
  if (!condition) throw new Failure(expected, got, response.request);
}

/** Compares two values as JSON, with members in any order. @param cause has the request that a report shows */
export function expectSame(
  cause: Pick<ReceivedResponse, 'request'>,
  what: string,
  actual: unknown,
  expected: unknown,
): void {
  const got = sorted(actual);
  const wanted = sorted(expected);
  if (got !== wanted) throw new Failure(`${what}: ${brief(wanted)}`, `${what}: ${brief(got)}`, cause.request);
}

export function expectText(response: ReceivedResponse, expected: string): void {
  expectThat(response, response.text === expected, `the body ${brief(expected)}`, `the body ${brief(response.text)}`);
}

export function expectStatus(response: ReceivedResponse, status: number | 'success' | 'no success'): void {
  if (typeof status === 'number') expectThat(response, response.status === status, `status ${status}`);
  else expectThat(response, isSuccess(response) === (status === 'success'), status);
}

export function expectStatuses(received: ReceivedBytes, ...statuses: readonly number[]): void {
  const got = Array.from(received.text.matchAll(/HTTP\/1\.\d (\d{3})/g), ([, status]) => Number(status));
  expectReceived(received, got.join() === statuses.join(), `status ${statuses.join(', ')}`);
}

export function expectReceived({ request, text }: ReceivedBytes, condition: boolean, expected: string): void {
  if (!condition) throw new Failure(expected, text === '' ? 'a closed connection' : bothEnds(text), request);
}

/** The start and the end of a text: the last of several responses is at the end. */
function bothEnds(text: string): string {
  if (text.length <= 2 * MAX_SHOWN) return text;
  return `${text.slice(0, MAX_SHOWN)}... (${text.length} characters) ...${text.slice(-MAX_SHOWN)}`;
}

export function isSuccess({ status }: ReceivedResponse): boolean {
  return status >= 200 && status < 300;
}

/** @param expected undefined if the header must be absent */
export function expectHeader(response: ReceivedResponse, name: string, expected: string | undefined): void {
  const got = response.headers[name];
  expectThat(response, got === expected, `${name}: ${expected ?? '(absent)'}`, `${name}: ${got ?? '(absent)'}`);
}

/** Compares a list in a header, in any order and case. */
export function expectList(response: ReceivedResponse, name: string, expected: readonly string[]): void {
  const got = response.headers[name] ?? '(absent)';
  const members = got.split(',').map((member) => member.trim());
  const isSame = members.toSorted().join().toLowerCase() === expected.toSorted().join().toLowerCase();
  expectThat(response, isSame, `${name}: ${expected.join(', ')}`, `${name}: ${got}`);
}

/** Compares the media type, with or without `charset=utf-8`, and expects a body in UTF-8. */
export function expectMediaType(response: ReceivedResponse, expected: string): void {
  const got = response.headers['content-type'] ?? '(absent)';
  const isExpected = got.toLowerCase().replace(/\s*;\s*charset="?utf-8"?\s*$/, '') === expected;
  expectThat(response, isExpected, `content-type: ${expected}`, `content-type: ${got}`);
  expectThat(response, Buffer.from(response.text).equals(response.bytes), 'UTF-8', 'other bytes');
}

export function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}... (${text.length} characters)`;
}

function summaryOf({ status, text }: ReceivedResponse): string {
  return text === '' ? `status ${status}` : `status ${status}, ${brief(text)}`;
}

function sorted(value: unknown): string {
  const inOrder = (_: string, member: unknown): unknown =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return value === undefined ? '(absent)' : JSON.stringify(value, inOrder);
}
