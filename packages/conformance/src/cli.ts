import { type CliOptions, help, parseCli } from './cli-options.js';
import { NotCheckableError, UnreachableError } from './probe.js';
import { runConformance } from './run-conformance.js';
import { summaryOf, TextReport } from './text-report.js';

/** What the program ends with. */
const EXIT = { passed: 0, failed: 1, notRun: 2 };

/**
 * The program `bookings-conformance`.
 *
 * @param args the arguments after its name
 * @returns its exit code: 0 when no check failed, 1 when some did, 2 when none could be run
 */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseCli(args);
    if (options === 'help') {
      process.stdout.write(help);
      return EXIT.passed;
    }
    return await run(options);
  } catch (error) {
    if (![TypeError, UnreachableError, NotCheckableError].some((type) => error instanceof type)) throw error;
    const { message } = error as Error;
    process.stderr.write(`bookings-conformance: ${message}\n`);
    return EXIT.notRun;
  }
}

/** The report goes to the standard output; with JSON, the lines for people go to the standard error. */
async function run({ json, ...options }: CliOptions): Promise<number> {
  const people = json ? process.stderr : process.stdout;
  const text = new TextReport();
  const report = await runConformance({ ...options, onResult: (result) => people.write(text.next(result)) });
  people.write(summaryOf(report));
  if (json) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  return report.failed === 0 ? EXIT.passed : EXIT.failed;
}
