import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);

/** Hours at which one day becomes another somewhere, and days that are easily forgotten. */
const MOMENTS = [
  ['half an hour before midnight', '2027-06-15T23:30:00Z', 'UTC'],
  ['a day ahead of UTC', '2027-06-15T10:30:00Z', 'Pacific/Kiritimati'],
  ['a day behind UTC', '2027-06-15T10:30:00Z', 'Pacific/Pago_Pago'],
  ['the end of a month', '2027-02-28T23:30:00Z', 'Pacific/Pago_Pago'],
  ['the end of a year', '2026-12-31T23:30:00Z', 'Pacific/Kiritimati'],
  ['ten seconds before the clock goes forward', '2027-03-28T00:59:50Z', 'Europe/Berlin'],
  ['ten seconds before the clock goes back', '2027-10-31T00:59:50Z', 'Europe/Berlin'],
  ['the day of the bookings of many tests', '2026-12-01T09:30:00Z', 'Europe/Berlin'],
] as const;

const JEST = 'node --experimental-vm-modules node_modules/jest/bin/jest.js';

/** What knows of days, instants or zones. Not what needs PostgreSQL, whose time limits do not end anything under libfaketime. */
const SUITES = [
  ['packages/contracts', JEST],
  ['packages/client', JEST],
  ['packages/conformance', `${JEST} test/run test/events`],
  ['apps/timetable', `${JEST} --testPathIgnorePatterns budgets`],
  [
    'apps/api',
    `${JEST} --selectProjects unit memory -- test/auth test/config test/openapi test/timetable e2e/conformance e2e/rate-limit e2e/tokens`,
  ],
  ['examples/webhook-receiver', 'node --test test/receiver.test.js'],
  ['examples/demo', 'node_modules/.bin/tsc && node dist/main.js'],
] as const;

/** Milliseconds for the tests of one package. */
const TIMEOUT = 1_200_000;

/** libfaketime, as Debian's `faketime` loads it. */
function library(): string {
  try {
    return execFileSync('faketime', ['-m', '-f', '+0s', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim();
  } catch (error) {
    throw new Error('These tests need the program `faketime`: apt-get install faketime', { cause: error });
  }
}

/** Runs a command from the start of a moment. @returns what it printed, if it failed or took too long */
async function run(command: string, folder: string, moment: string, zone: string): Promise<string | undefined> {
  const ahead = Math.round((Date.parse(moment) - Date.now()) / 1_000);
  const child = spawn('sh', ['-c', `exec 2>&1; ${command}`], {
    cwd: fileURLToPath(new URL(folder, root)),
    env: {
      ...process.env,
      TZ: zone,
      LD_PRELOAD: library(),
      // An offset, so that every process has the same time.
      FAKETIME: `${ahead < 0 ? '' : '+'}${ahead}s`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, to be ended with all that it started.
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGTERM'), TIMEOUT);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return code === 0 ? undefined : output;
}

describe.each(MOMENTS)('At %s, %s in %s', (_, moment, zone) => {
  it('every process has this time', async () => {
    const program = `const now = new Date(); console.log(now); process.exit(Math.abs(now - Date.parse("${moment}")) < 60_000 ? 0 : 1)`;
    expect(await run(`node -e '${program}'`, '.', moment, zone)).toBeUndefined();
  });

  it.each(SUITES)(
    '%s passes',
    async (folder, command) => expect(await run(command, folder, moment, zone)).toBeUndefined(),
    TIMEOUT + 60_000,
  );
});
