import type { Check, Level } from './check.js';
import type { OutgoingRequest } from './exchange.js';
import { brief } from './expectations.js';
import { Failure, Skipped } from './failure.js';

export interface CheckFailure {
  readonly expected: string;
  readonly got: string;
  /** The request, if a single one caused the failure, without the headers of the run. */
  readonly request?: string;
}

export interface CheckResult {
  readonly id: string;
  readonly level: Level;
  readonly section: string;
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly milliseconds: number;
  readonly failure?: CheckFailure;
  readonly reason?: string;
}

export async function resultOf(check: Check, work: () => Promise<void>): Promise<CheckResult> {
  const { id, level, section, title } = check;
  const startedAt = performance.now();
  const outcome = await work().then(() => ({ outcome: 'passed' as const }), outcomeOf);
  return { id, level, section, title, milliseconds: Math.round(performance.now() - startedAt), ...outcome };
}

function outcomeOf(error: unknown): Pick<CheckResult, 'outcome' | 'failure' | 'reason'> {
  if (error instanceof Skipped) return { outcome: 'skipped', reason: error.message };
  if (!(error instanceof Failure)) {
    const failure = { expected: 'a response that the check can read', got: String(error) };
    return { outcome: 'failed', failure };
  }
  const { expected, got, request } = error;
  return { outcome: 'failed', failure: { expected, got, ...(request && { request: toText(request) }) } };
}

function toText({ method, target, headers = {}, body = '', chunked, unfinished }: OutgoingRequest): string {
  const head = [`${method} ${brief(target)}`];
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) head.push(`${name}: ${brief(value)}`);
  }
  if (chunked === true) head.push('transfer-encoding: chunked');
  const text = brief(Buffer.from(body).toString());
  if (text !== '') head.push('', text);
  if (unfinished === true) head.push('(and the request goes on)');
  return head.join('\n');
}
