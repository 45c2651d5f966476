import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCli } from '../src/cli-options.js';
import type { ConformanceReport } from '../src/run-conformance.js';
import { summaryOf, TextReport } from '../src/text-report.js';
import { type Around, invalid, StubService } from './stub-service.js';

const program = fileURLToPath(new URL('../bin/bookings-conformance.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built program. */
function run(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

async function against(around: Around | undefined, ...args: string[]): Promise<Ended> {
  const service = new StubService(around);
  const ended = await run(...args, await service.start());
  await service.stop();
  return ended;
}

/** The path of a file that holds this. */
function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const guest = fileOf('guest.json', '{"guest":"Ada","slot":{"resource_id":"left out"}}');
const number = fileOf('number.json', '{"guest":7}');

const guarded: Around = async ({ headers }, respond) =>
  headers.authorization === 'Bearer open-sesame' && headers['x-one'] === '1' ? respond() : { status: 401 };
const readable: Around = async ({ method }, respond) => (method === 'POST' ? { status: 403 } : respond());
/** A service with its own schema: a booking has a guest, a text. */
const dinners: Around = async (_, respond) => {
  const response = await respond();
  const isValid = response.status !== 201 || typeof (response.body as { guest?: unknown }).guest === 'string';
  return isValid ? response : invalid('#/guest', 'is not a string');
};
/** Every booking gets one id. */
const repetitive: Around = async (_, respond) => {
  const { status, body } = await respond();
  return { status, body: status === 201 ? { ...body, booking_id: 'b0' } : body! };
};

describe('bookings-conformance', () => {
  it('ends with 0 and a line for each check where a service passes, with the headers that are given', async () => {
    const headers = ['--header', 'Authorization: Bearer open-sesame', '--header', 'X-One: 1'];
    const { code, stdout, stderr } = await against(guarded, '--level', 'specification', '--read-only', ...headers);
    expect(stdout).toContain('\nThe specification\n');
    expect(stdout).toMatch(/^ {2}pass {2}specification\.list +GET \/v1\/bookings lists bookings$/m);
    expect(stdout).toMatch(/^ {2}skip {2}specification\.create .+ \(it writes, and this run is read-only\)$/m);
    expect(stdout).toMatch(/\n7 checks in [\d.]+ s: 3 passed, 0 failed, 4 skipped\n$/);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('ends with 1 where one fails, and shows its request, with the payload that the schema of a service needs', async () => {
    const { code, stdout } = await against(repetitive, '--level', 'specification', '--payload', guest);
    expect(stdout).toMatch(
      new RegExp(
        [
          ' {2}FAIL {2}specification\\.create\\.new-id .+',
          ' {8}request {3}POST /v1/bookings',
          ' {18}content-type: application/json',
          '',
          ' {18}\\{"guest":"Ada"\\}',
          ' {8}expected {2}another id than the first',
          ' {8}got {7}b0',
        ].join('\n *'),
      ),
    );
    expect(stdout).toMatch(/ 6 passed, 1 failed, 0 skipped\nfailed:\n {2}specification\.create\.new-id [^\n]+\n$/);
    expect(code).toBe(1);
  });

  it.each<[string, Around, string[], RegExp]>([
    ['requires a token', guarded, [], /requires a token: give one with --header 'Authorization: Bearer TOKEN'$/],
    ['rejects the token', guarded, ['--header', 'Authorization: Bearer sesame'], /rejects the token of --header/],
    ['lacks a scope', readable, [], /lacks the scope bookings:write: give one that has, or use --read-only$/],
    ['has its own schema', dinners, [], /which rejects \{\} \(#\/guest is not a string\): give .+ --payload FILE$/],
    ['rejects the payload', dinners, ['--payload', number], /rejects the payload of --payload with a slot .+ give one/],
  ])('ends with 2 and one line, before any check, where the service %s', async (_, service, args, line) => {
    const { code, stdout, stderr } = await against(service, ...args);
    expect(stderr).toMatch(/^bookings-conformance: [^\n]+\n$/);
    expect(stderr.trim()).toMatch(line);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('prints the report alone, as JSON, with --json', async () => {
    const { code, stdout } = await against(undefined, '--level', 'specification', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ passed: 7, failed: 0, notRun: 0 })]);
  });

  it('ends with 2 and one line for wrong usage', async () => {
    const { code, stdout, stderr } = await run('--all', 'http://localhost:1');
    expect(stderr).toMatch(/^bookings-conformance: [^\n]+\n$/);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('ends with 0 and its usage for --help', async () => {
    const { code, stdout } = await run('--help');
    expect(stdout).toMatch(/^Usage: bookings-conformance \[options\] URL\n/);
    expect(code).toBe(0);
  });

  it.each([
    ['no URL', []],
    ['two URLs', ['http://localhost:1', 'http://localhost:2']],
    ['a header that is none', ['--header', 'Authorization', 'http://localhost:1']],
    ['a payload file that is not there', ['--payload', '/none', 'http://localhost:1']],
    ['a payload file that is not JSON', ['--payload', fileOf('broken.json', '{'), 'http://localhost:1']],
    ['a port of events without a secret', ['--events-port', '4000', 'http://localhost:1']],
  ])('does not take %s', (_, args) => {
    expect(() => parseCli(args)).toThrow(TypeError);
  });
});

describe('The report', () => {
  it('begins its summary with what breaks the promise, and with what did not run', () => {
    const failed = ['create.etag', 'race.slot'].map((id) => ({ id, title: `title of ${id}`, outcome: 'failed' }));
    const counts = { passed: 0, failed: 2, skipped: 0, notRun: 7, milliseconds: 1_000 };
    const lines = summaryOf({ ...counts, results: failed } as unknown as ConformanceReport)
      .trim()
      .split('\n');
    expect(lines).toEqual([
      'Failed where nothing may be booked twice:',
      expect.stringMatching(/^ {2}race\.slot +title of race\.slot$/),
      'The service is gone: it accepts no connections, and 7 checks did not run.',
      '2 checks in 1.0 s: 0 passed, 2 failed, 0 skipped',
      'failed:',
      expect.stringMatching(/^ {2}create\.etag +title/),
    ]);
  });

  it('escapes control characters of a response, but for line ends', () => {
    const failure = { expected: 'a page', got: '200 \u001b[2J\u009b1m\u202e\u0007\r\n  pass' };
    const check = { id: 'get.etag', level: 'interface', section: 'Getting one', title: 'a statement' } as const;
    const text = new TextReport().next({ ...check, outcome: 'failed', milliseconds: 1, failure });
    expect(text).toContain('got       200 \\u001b[2J\\u009b1m\\u202e\\u0007\\u000d\n');
    expect(text).toMatch(/\n {20}pass\n$/);
  });
});
