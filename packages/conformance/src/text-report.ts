import type { CheckResult } from './result.js';
import type { ConformanceReport } from './run-conformance.js';

const OUTCOMES = { passed: 'pass', failed: 'FAIL', skipped: 'skip' };
const ID_WIDTH = 34;

/** The report for people: the results one by one, with a heading for each section. */
export class TextReport {
  #section = '';

  next(result: CheckResult): string {
    const reason = result.reason === undefined ? '' : ` (${result.reason})`;
    const lines = [`  ${OUTCOMES[result.outcome]}  ${result.id.padEnd(ID_WIDTH)} ${result.title}${reason}`];
    if (result.failure !== undefined) {
      const { request, expected, got } = result.failure;
      if (request !== undefined) lines.push(labelled('request', request));
      lines.push(labelled('expected', expected), labelled('got', got));
    }
    if (result.section !== this.#section) lines.unshift(`\n${result.section}`);
    this.#section = result.section;
    return `${lines.join('\n')}\n`;
  }
}

/** Ids of the checks that nothing is booked twice. */
const PROMISE_IDS = /^(?:race\.|retry\.|slot\.overlap|key\.(?:replay|reused))/;

export function summaryOf({ results, passed, failed, skipped, notRun, milliseconds }: ConformanceReport): string {
  const seconds = (milliseconds / 1_000).toFixed(1);
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  const broken = failures.filter(({ id }) => PROMISE_IDS.test(id)).map(lineOf);
  const others = failures.filter(({ id }) => !PROMISE_IDS.test(id)).map(lineOf);
  return [
    '',
    ...(broken.length > 0 ? ['Failed where nothing may be booked twice:', ...broken] : []),
    ...(notRun > 0 ? [`The service accepts no connections any more: ${notRun} checks did not run.`] : []),
    `${results.length} checks in ${seconds} s: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    ...(others.length > 0 ? ['Failed elsewhere:', ...others] : []),
    '',
  ].join('\n');
}

function lineOf({ id, title }: CheckResult): string {
  return `  ${id.padEnd(ID_WIDTH)} ${title}`;
}

function labelled(label: string, text: string): string {
  return `        ${label.padEnd(9)} ${escaped(text).replaceAll('\n', `\n${' '.repeat(18)}`)}`;
}

/** Escapes characters that could move the cursor of a terminal or hide text. */
function escaped(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
