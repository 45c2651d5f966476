import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { verify } from 'tools/verify-contract';

/** The consumers of this repository. Turbo runs their tests before, which write their contracts into `pacts`. */
const consumers = ['packages/client', 'examples/front-desk'];

const contracts = consumers.flatMap((consumer) => {
  const folder = new URL(`../../../../${consumer}/pacts/`, import.meta.url);
  return readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder)));
});
const frontDesk = contracts.find((path) => path.endsWith('front-desk-bookings-service.json'))!;

describe('The contracts of the consumers', () => {
  it('are two of each', () => {
    expect(contracts).toHaveLength(2 * consumers.length);
  });

  it.each(contracts)('are kept by the service: %s', async (path) => {
    expect(await verify(path)).toBe(true);
  });
});

interface Interaction {
  description: string;
  providerStates: { name: string; params?: object }[];
  response: object;
}

const pact = JSON.parse(readFileSync(frontDesk, 'utf8')) as { interactions: [Interaction, Interaction] };
const [free, taken] = pact.interactions;
const broken = { ...free, response: { status: 418 } };
const inState = (name: string, params?: object): Interaction => ({
  ...free,
  providerStates: [{ name, ...(params && { params }) }],
});
const folder = mkdtempSync(join(tmpdir(), 'contracts-'));
afterAll(() => rmSync(folder, { recursive: true }));

function contractOf(given: object[] | string): string {
  const path = join(folder, 'contract.json');
  writeFileSync(path, typeof given === 'string' ? given : JSON.stringify({ ...pact, interactions: given }));
  return path;
}

describe('A contract', () => {
  it.each<[string, object[], boolean]>([
    ['whose broken interaction is pending is kept', [taken, { ...broken, pending: true }], true],
    ['that names no state asks for an empty service', [taken, { ...free, providerStates: undefined }], true],
  ])('%s', async (_, interactions, expected) => {
    expect(await verify(contractOf(interactions))).toBe(expected);
  });

  const bookings = 'these bookings exist';
  const unmade = 'Only 0 states could be made.';

  it.each<[string, object[] | string, string]>([
    ['an unknown state', [inState('the moon is full')], unmade],
    ['unknown parameters', [inState(bookings, { bookings: [{ payload: {}, idempotencyKey: 'a' }] })], unmade],
    ['a booking that is rejected', [inState(bookings, { bookings: [{ payload: { slot: {} } }] })], unmade],
    [
      'two states, of which the verifier would enter the last alone',
      [{ ...free, providerStates: [...free.providerStates, ...taken.providerStates] }],
      'expected array to have <=1 items',
    ],
    ['no interactions', [], 'expected array to have >=1 items'],
    ['another document', '{"openapi":"3.1.1"}', '"provider"'],
  ])('is not verified with %s', async (_, given, fault) => {
    await expect(verify(contractOf(given))).rejects.toThrow(fault);
  });
});

describe('pnpm verify-contract', () => {
  const program = fileURLToPath(new URL('../../../../tools/dist/verify-contract/main.js', import.meta.url));
  /** Pact's verifier would read them: all interactions are verified nevertheless. */
  const filters = { PACT_DESCRIPTION: 'another', PACT_PROVIDER_STATE: 'another', PACT_PROVIDER_NO_STATE: 'true' };

  it.each<[string, object[] | undefined, object]>([
    ['a contract that is kept', [free, taken], { code: 0, stdout: /The service keeps the contract\.\n$/ }],
    ['one that is broken', [free, broken], { code: 1, stdout: /expected 418 but was 201/ }],
    ['no file', undefined, { code: 2, stderr: /^Give one pact file: pnpm verify-contract FILE\n/ }],
  ])('says what becomes of %s', async (_, interactions, expected) => {
    const given = interactions === undefined ? [] : [contractOf(interactions)];
    const env = { PATH: process.env['PATH'], PACT_DO_NOT_TRACK: 'true', ...filters };
    const ran = await new Promise<object>((resolve) => {
      const child = execFile(process.execPath, [program, ...given], { env }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, stdout: stripVTControlCharacters(stdout), stderr }),
      );
    });
    for (const [name, value] of Object.entries(expected)) expect(ran).toHaveProperty(name, matching(value));
  });
});

const matching = (value: number | RegExp): unknown =>
  typeof value === 'number' ? value : expect.stringMatching(value);
