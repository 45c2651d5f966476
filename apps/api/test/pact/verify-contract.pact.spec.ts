import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localPactsOf } from './local-pacts.js';

interface Pact {
  interactions: { description: string; providerStates?: { name: string }[] }[];
}

const program = fileURLToPath(new URL('../../../../tools/verify-contract/dist/main.js', import.meta.url));
const frontDesk = JSON.parse(readFileSync(localPactsOf('examples/front-desk')[0]!, 'utf8')) as Pact;
const [free, taken] = frontDesk.interactions as [Pact['interactions'][0], Pact['interactions'][0]];

let folder: string;

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'verify-contract-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the built program on a contract, in the folder that holds it. */
async function verify(interactions: object[], env: Record<string, string> = {}) {
  const path = join(folder, 'contract.json');
  writeFileSync(path, JSON.stringify({ ...frontDesk, interactions }));
  const given = 'PACT_URL' in env ? [] : [relative(process.cwd(), path)];
  return new Promise<{ code: number; lines: string[]; stderr: string }>((resolve) => {
    const settings = { env: { PATH: process.env['PATH'], PACT_DO_NOT_TRACK: 'true', ...env } };
    const child = execFile(process.execPath, [program, ...given], settings, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, lines: stdout.trimEnd().split('\n'), stderr });
    });
  });
}

describe('pnpm verify-contract', () => {
  it('says of a contract that is kept whose it is and what holds', async () => {
    expect(await verify([free, taken])).toEqual({
      code: 0,
      lines: [
        'The service keeps the contract of front-desk.',
        '  holds   a form for a room that is free',
        '  holds   a form for a room that is taken',
        '2 interactions',
      ],
      stderr: '',
    });
  });

  it('takes the file from PACT_URL, from the folder that pnpm was called in', async () => {
    const { code, lines } = await verify([free], { PACT_URL: 'contract.json', INIT_CWD: folder });
    expect([code, lines.at(-1)]).toEqual([0, '1 interaction']);
  });

  it('says of a broken contract what holds, and last what does not and why', async () => {
    const inState = (description: string, name: string, params?: object) => {
      return { ...free, description, providerStates: [{ name, params }] };
    };
    const { code, lines, stderr } = await verify([
      taken,
      { ...free, response: { status: 202 } },
      inState('the third', 'the moon is full'),
      inState('the fourth', 'these bookings exist', { bookings: [{ payload: {}, idempotencyKey: 'a' }] }),
      inState('the fifth', 'these bookings exist', { bookings: [{ payload: { slot: {} } }] }),
      { ...free, providerStates: taken.providerStates },
    ]);
    expect(lines).toEqual([
      'The service breaks the contract of front-desk.',
      '  holds   a form for a room that is taken',
      '5 of 6 interactions do not hold:',
      '  breaks  a form for a room that is free (no bookings exist)',
      '            status: expected 202 but was 201',
      '  breaks  the third (the moon is full)',
      '            The state `the moon is full` is not known. There are:',
      '              `no bookings exist` (no parameters)',
      '              `these bookings exist` (`bookings`, a list of { payload, idempotency_key? }, one at least)',
      '              `these bookings were deleted` (the same)',
      '  breaks  the fourth (these bookings exist)',
      '            The state `these bookings exist` has wrong parameters: bookings: 0: Unrecognized key: "idempotencyKey"',
      '  breaks  the fifth (these bookings exist)',
      expect.stringMatching(/^ {12}The state `these bookings exist` cannot be made: the create of a booking got 422 /),
      '  breaks  a form for a room that is free (these bookings exist)',
      '            body $: Actual map is missing the following keys: booking_id',
      '            status: expected 201 but was 409',
      expect.stringMatching(/^ {12}header Content-Type: Mismatch /),
    ]);
    expect([code, stderr]).toEqual([1, '']);
  });

  it('verifies all of a contract, whatever the environment says', async () => {
    const env = { PACT_DESCRIPTION: 'another', PACT_PROVIDER_STATE: 'another', PACT_PROVIDER_NO_STATE: 'true' };
    const { code, lines } = await verify([free, { ...taken, response: { status: 418 } }], env);
    expect([code, lines.slice(0, 4)]).toEqual([
      1,
      [
        'The service breaks the contract of front-desk.',
        '  holds   a form for a room that is free',
        '1 of 2 interactions do not hold:',
        '  breaks  a form for a room that is taken (these bookings exist)',
      ],
    ]);
  });

  it('says what does not hold though it is pending, and ends with 0', async () => {
    const pending = { pending: true };
    const teapot = { ...free, description: 'a form for a teapot', response: { status: 418 } };
    expect(await verify([free, { ...taken, ...pending }, { ...teapot, ...pending }])).toEqual({
      code: 0,
      lines: [
        'The service keeps the contract of front-desk, apart from what is pending.',
        '  holds   a form for a room that is free',
        '  holds   a form for a room that is taken',
        '1 of 3 interactions are pending and do not hold yet:',
        '  pending a form for a teapot (no bookings exist)',
        '            status: expected 418 but was 201',
      ],
      stderr: '',
    });
  });

  it('does not say that an interaction holds in two states, of which only the last is entered', async () => {
    const inBoth = [...free.providerStates!, ...taken.providerStates!];
    const { code, lines } = await verify([free, { ...taken, providerStates: inBoth }]);
    expect([code, lines[0]]).toEqual([2, 'The contract of front-desk was not verified:']);
    expect(lines).toContain('An interaction names two states. Each is all that there is: name one.');
  });

  it('says in a line that there is nothing to verify, and ends with 2', async () => {
    expect(await verify([])).toMatchObject({ code: 2, stderr: expect.stringMatching(/^.+ has no interactions.+\n$/) });
    const nothing = { PACT_URL: '' };
    expect(await verify([], nothing)).toMatchObject({
      code: 2,
      stderr: 'Give one pact file: pnpm verify-contract FILE\n',
    });
  });
});
