import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from 'testing';
import { parseCli } from '../src/cli-options.js';
import type { ReceivedBytes } from '../src/exchange.js';
import { expectReceived } from '../src/expectations.js';
import type { ConformanceReport } from '../src/run-conformance.js';
import { summaryOf, TextReport } from '../src/text-report.js';
import { type StubOptions, StubService } from './stub-service.js';

const program = fileURLToPath(new URL('../bin/bookings-conformance.js', import.meta.url));
const folder = temporaryFolder();

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function run(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

async function against(options: StubOptions, ...args: string[]): Promise<Ended> {
  const service = new StubService(options);
  const ended = await run('--level', 'specification', ...args, await service.start());
  await service.stop();
  return ended;
}

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const guest = fileOf('guest.json', '{"guest":"Ada","slot":{"resource_id":"left out"}}');
const number = fileOf('number.json', '{"guest":7}');

const guarded: StubOptions = {
  around: async ({ headers }, respond) =>
    headers.authorization === 'Bearer open-sesame' && headers['x-one'] === '1' ? respond() : { status: 401 },
};
const readable: StubOptions = {
  around: async ({ method }, respond) => (method === 'POST' ? { status: 403 } : respond()),
};
const full: StubOptions = {
  around: async ({ method }, respond) => (method === 'POST' ? { status: 503 } : respond()),
};
const upgrading: StubOptions = {
  around: async ({ url = '' }, respond) =>
    /bookings\/./.test(url) ? { status: 101, headers: { Connection: 'Upgrade', Upgrade: 'websocket' } } : respond(),
};
const dinners: StubOptions = {
  errorIn: ({ guest: name }) => (typeof name === 'string' ? undefined : '#/guest'),
};

describe('bookings-conformance', () => {
  it('ends with 0 and a line for each check if none fails', async () => {
    const headers = ['--header', 'Authorization: Bearer open-sesame', '--header', 'X-One: 1'];
    const { code, stdout, stderr } = await against(guarded, '--read-only', ...headers);
    expect(stdout).toContain('\nThe specification\n');
    expect(stdout).toMatch(/^ {2}pass {2}specification\.list +GET \/v1\/bookings lists bookings$/m);
    expect(stdout).toMatch(/^ {2}skip {2}specification\.create .+ \(it writes, and this run is read-only\)$/m);
    expect(stdout).toMatch(/\n7 checks in [\d.]+ s: 3 passed, 0 failed, 4 skipped\n$/);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('ends with 1 if a check fails, and shows its request with the given payload', async () => {
    const { code, stdout } = await against(full, '--payload', guest);
    expect(code).toBe(1);
    expect(stdout).toContain(
      [
        '        request   POST /v1/bookings',
        '                  content-type: application/json',
        '                  ',
        '                  {"guest":"Ada"}',
        '        expected  success',
        '        got       status 503\n',
      ].join('\n'),
    );
    expect(stdout).toMatch(/: 3 passed, 4 failed, 0 skipped\nFailed elsewhere:\n {2}specification\.create [^\n]+\n/);
  });

  it('ends with 1 if a response is a 101, which is no response', async () => {
    const { code, stdout } = await against(upgrading);
    expect(stdout).toMatch(/^ {8}got {7}none: the connection ended without a response$/m);
    expect(stdout).toMatch(/\n7 checks in [\d.]+ s: /);
    expect(code).toBe(1);
  });

  it.each<[string, StubOptions, string[], RegExp]>([
    ['requires a token', guarded, [], /requires a token: give one with --header 'Authorization: Bearer TOKEN'$/],
    ['rejects the token', guarded, ['--header', 'Authorization: Bearer sesame'], /rejects the token of --header/],
    ['lacks a scope', readable, [], /lacks the scope bookings:write: give one that has it, or use --read-only$/],
    ['has its own schema', dinners, [], /which rejects \{\} \(#\/guest is wrong\): give .+ --payload FILE$/],
    ['rejects the payload', dinners, ['--payload', number], /rejects the payload of --payload with a slot .+ give one/],
  ])('ends with 2 and one line if the service %s', async (_, service, args, line) => {
    const { code, stdout, stderr } = await against(service, ...args);
    expect(stderr).toMatch(/^bookings-conformance: [^\n]+\n$/);
    expect(stderr.trim()).toMatch(line);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('prints only the report with --json', async () => {
    const { code, stdout } = await against({}, '--json');
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
    ['an invalid header', ['--header', 'Authorization', 'http://localhost:1']],
    ['a missing payload file', ['--payload', '/none', 'http://localhost:1']],
    ['a payload file that is not JSON', ['--payload', fileOf('broken.json', '{'), 'http://localhost:1']],
    ['a port of events without a secret', ['--events-port', '4000', 'http://localhost:1']],
  ])('rejects %s', (_, args) => {
    expect(() => parseCli(args)).toThrow(TypeError);
  });
});

describe('The report', () => {
  it('begins its summary with double bookings and the number of missing checks', () => {
    const failed = ['create.etag', 'race.slot'].map((id) => ({ id, title: `title of ${id}`, outcome: 'failed' }));
    const counts = { passed: 0, failed: 2, skipped: 0, notRun: 7, milliseconds: 1_000 };
    const lines = summaryOf({ ...counts, results: failed } as unknown as ConformanceReport)
      .trim()
      .split('\n');
    expect(lines).toEqual([
      'Failed where nothing may be booked twice:',
      expect.stringMatching(/^ {2}race\.slot +title of race\.slot$/),
      'The service accepts no connections any more: 7 checks did not run.',
      '2 checks in 1.0 s: 0 passed, 2 failed, 0 skipped',
      'Failed elsewhere:',
      expect.stringMatching(/^ {2}create\.etag +title/),
    ]);
  });

  it('shows both ends of what a connection received: the last response is at the end', () => {
    const received = { request: undefined, text: `HTTP/1.1 201${'-'.repeat(1_000)}{"bookings":[]}` };
    const got = expect.stringMatching(/^HTTP\/1\.1 201-+\.\.\. \(1027 characters\) \.\.\.-+\{"bookings":\[\]\}$/);
    expect(() => expectReceived(received as unknown as ReceivedBytes, false, 'a booking')).toThrow(
      expect.objectContaining({ got }),
    );
  });

  it('escapes control characters of a response, except line ends', () => {
    const failure = { expected: 'a page', got: '200 \u001b[2J\u009b1m\u202e\u0007\r\n  pass' };
    const check = { id: 'get.etag', level: 'interface', section: 'Getting one', title: 'a statement' } as const;
    const text = new TextReport().next({ ...check, outcome: 'failed', milliseconds: 1, failure });
    expect(text).toContain('got       200 \\u001b[2J\\u009b1m\\u202e\\u0007\\u000d\n');
    expect(text).toMatch(/\n {20}pass\n$/);
  });
});
