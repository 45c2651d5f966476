import { help, parseCli } from './cli-options.js';
import { NotCheckableError, UnreachableError } from './probe.js';
import type { CheckResult } from './result.js';
import { runConformance } from './run-conformance.js';
import { summaryOf, TextReport } from './text-report.js';

const EXIT = { passed: 0, failed: 1, notRun: 2 };

/** @returns the exit code of `bookings-conformance` */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const given = parseCli(args);
    if (given === 'help') {
      process.stdout.write(help);
      return EXIT.passed;
    }
    const { json, ...options } = given;
    const text = new TextReport();
    const onResult = (result: CheckResult): void => {
      if (!json) process.stdout.write(text.next(result));
    };
    const report = await runConformance({ ...options, onResult });
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : summaryOf(report));
    return report.failed === 0 ? EXIT.passed : EXIT.failed;
  } catch (error) {
    const isExpected =
      error instanceof TypeError || error instanceof UnreachableError || error instanceof NotCheckableError;
    if (!isExpected) throw error;
    process.stderr.write(`bookings-conformance: ${error.message}\n`);
    return EXIT.notRun;
  }
}
