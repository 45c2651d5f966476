import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { createTestDatabase, type TestDatabase } from 'testing';
import { readContract, verify } from 'verify-contract';
import { anApiKey, ApiKeysFile, bearer } from '../support/api-keys.js';

/** The consumers of this repository. Turbo runs their tests before, which write their contracts into `pacts`. */
const consumers = ['packages/client', 'examples/front-desk'];

const contracts = consumers.flatMap((consumer) => {
  const folder = new URL(`../../../../${consumer}/pacts/`, import.meta.url);
  return readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder)));
});
const frontDesk = contracts.find((path) => path.endsWith('front-desk-bookings-service.json'))!;

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.drop())));

async function createDatabase(): Promise<string> {
  const database = await createTestDatabase();
  databases.push(database);
  return database.url;
}

describe('The contracts of the consumers', () => {
  it('are two of each', () => {
    expect(contracts).toHaveLength(2 * consumers.length);
  });

  it.each(contracts)('are kept by the service: %s', async (path) => {
    const isOfEvents = path.endsWith('-events.json');
    expect(await verify(readContract(path), isOfEvents ? { createDatabase } : {})).toBe(true);
  });

  it('are kept by a service that requires a token, which is no part of them', async () => {
    const key = anApiKey('consumer');
    const file = new ApiKeysFile(key);
    const settings = { AUTH_API_KEYS_FILE: file.path };
    try {
      expect(await verify(readContract(frontDesk), { settings, headers: { Authorization: bearer(key) } })).toBe(true);
    } finally {
      file.remove();
    }
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

interface Row {
  /** What the file has, as JSON or as text; no file if undefined. */
  readonly file?: string | object[];
  readonly env?: Record<string, string>;
  readonly code: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

const others = { PACT_DESCRIPTION: 'another', PACT_PROVIDER_STATE: 'another', PACT_PROVIDER_NO_STATE: 'true' };
const rows: Record<string, Row> = {
  'a contract that is kept': {
    file: [free, taken],
    code: 0,
    stdout: 'keeps the contract of front-desk: 2 interactions.',
  },
  'one that is broken': { file: [taken, broken], code: 1, stdout: 'expected 418 but was 201' },
  'what is pending, which breaks nothing': { file: [taken, { ...broken, pending: true }], code: 0 },
  'all of it, whatever the environment says': { file: [free, broken], env: others, code: 1 },
  'an unknown state': {
    file: [inState('the moon is full')],
    code: 2,
    stderr: 'the state `the moon is full` is unknown',
  },
  'wrong parameters of a state': {
    file: [inState('these bookings exist', { bookings: [{ payload: {}, idempotencyKey: 'a' }] })],
    code: 2,
    stderr: 'Unrecognized key: "idempotencyKey"',
  },
  'a state that cannot be made': {
    file: [inState('these bookings exist', { bookings: [{ payload: { slot: {} } }] })],
    code: 2,
    stderr: 'the create of a booking got 422',
  },
  'two states, of which only the last would be entered': {
    file: [{ ...free, providerStates: [...free.providerStates, ...taken.providerStates] }],
    code: 2,
    stderr: 'it names 2 states instead of one',
  },
  'no interactions': { file: [], code: 2, stderr: 'interactions: Too small' },
  'a file that is no contract': { file: '{"openapi":"3.1.1"}', code: 2, stderr: 'is not a contract with this service' },
  'a file that is no JSON': { file: 'pact', code: 2, stderr: 'cannot be read' },
  'no file': { code: 2, stderr: 'Give one pact file: pnpm verify-contract FILE' },
};

describe('pnpm verify-contract verifies', () => {
  const program = fileURLToPath(new URL('../../../../tools/verify-contract/dist/main.js', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'verify-contract-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(Object.entries(rows))('%s', async (_, { file, env, code, stdout = '', stderr = '' }) => {
    if (file !== undefined) {
      const text = typeof file === 'string' ? file : JSON.stringify({ ...pact, interactions: file });
      writeFileSync(join(folder, 'contract.json'), text);
    }
    const given = file === undefined ? [] : ['contract.json'];
    const settings = { env: { PATH: process.env['PATH'], PACT_DO_NOT_TRACK: 'true', INIT_CWD: folder, ...env } };
    const ran = await new Promise<object>((resolve) => {
      const child = execFile(process.execPath, [program, ...given], settings, (_error, out, errors) =>
        resolve({ code: child.exitCode, stdout: stripVTControlCharacters(out), stderr: errors }),
      );
    });
    expect(ran).toEqual({ code, stdout: expect.stringContaining(stdout), stderr: expect.stringContaining(stderr) });
  });
});
