import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CreateBookingDto } from '@booking-service/contracts';
import type { ConformanceReport } from '../src/index.js';
import { type PlainResponse, PlainService } from './plain/plain-service.js';
import { Rejected } from './plain/rejected.js';
import { secret } from './plain/notifying-service.js';

const program = fileURLToPath(new URL('../bin/bookings-conformance.js', import.meta.url));

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

class CreatesWithoutLocation extends PlainService {
  protected override async create(request: IncomingMessage): Promise<PlainResponse> {
    const response = await super.create(request);
    delete response.headers['Location'];
    return response;
  }
}

/** Responds 401 unless a request has two headers. */
class GuardedService extends PlainService {
  protected override async response(request: IncomingMessage): Promise<PlainResponse> {
    const { authorization, 'x-one': one } = request.headers;
    return authorization === 'Bearer open-sesame' && one === '1'
      ? super.response(request)
      : { status: 401, headers: {} };
  }
}

/** Responds 403 to every create. */
class ReadableService extends PlainService {
  protected override async create(): Promise<PlainResponse> {
    return { status: 403, headers: {} };
  }
}

/** Needs a guest in each payload. */
class GuestService extends PlainService {
  protected override payload(value: unknown): CreateBookingDto {
    const payload = super.payload(value);
    if (typeof payload['guest'] !== 'string') reject('guest', 'is not a string');
    return payload;
  }
}

/** Takes nothing but a guest and a slot. */
class DinnerService extends GuestService {
  protected override payload(value: unknown): CreateBookingDto {
    const payload = super.payload(value);
    for (const name of Object.keys(payload)) if (!['guest', 'slot'].includes(name)) reject(name, 'is not a member');
    return payload;
  }
}

class DinnerWithoutLocation extends DinnerService {
  protected override async create(request: IncomingMessage): Promise<PlainResponse> {
    const response = await super.create(request);
    delete response.headers['Location'];
    return response;
  }
}

function reject(name: string, detail: string): never {
  throw new Rejected('invalid-booking', { errors: [{ pointer: `#/${name}`, detail }] });
}

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The path of a file that holds this. */
function fileOf(content: unknown): string {
  const path = join(folder, `${randomUUID()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function against(service: PlainService, ...args: string[]): Promise<Ended> {
  const url = await service.start();
  const ended = await run(...args, url);
  await service.stop();
  return ended;
}

describe('bookings-conformance', () => {
  it('ends with 0 and a line for each check where a service passes', async () => {
    const { code, stdout, stderr } = await against(new PlainService());
    expect(stdout).toContain('\nCreating\n');
    expect(stdout).toMatch(/^ {2}pass {2}slot\.overlap-rejected +two bookings never hold/m);
    expect(stdout).toMatch(/^ {2}skip {2}limit\.headers-time .+ \(it takes long, and this run is not slow\)$/m);
    expect(stdout).toMatch(/\n\d+ checks in [\d.]+ s: \d+ passed, 0 failed, 2 skipped\n$/);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('ends with 1 where one does not, and shows the request, what was expected and what came', async () => {
    const { code, stdout } = await against(new CreatesWithoutLocation(), '--level', 'interface');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(
        [
          ' {2}FAIL {2}create\\.location .+',
          ' {8}request {3}POST /v1/bookings',
          ' {18}content-type: application/json',
          '',
          ' {18}\\{\\}',
          ' {8}expected {2}location: /v1/bookings/b\\w+',
          ' {8}got {7}location: \\(absent\\)',
        ].join('\n *'),
      ),
    );
    expect(stdout).toMatch(/ 1 failed, 2 skipped\nfailed:\n {2}create\.location\n$/);
  });

  it('writes JSON alone to its output with --json, and the lines to standard error', async () => {
    const { code, stdout, stderr } = await against(
      new PlainService(),
      '--json',
      '--read-only',
      '--level',
      'specification',
    );
    const report = JSON.parse(stdout) as ConformanceReport;
    expect(report).toMatchObject({ level: 'specification', readOnly: true, passed: 3, failed: 0, skipped: 4 });
    expect(stderr).toContain('specification.list');
    expect(code).toBe(0);
  });

  it('sends the headers that are given', async () => {
    const args = ['--read-only', '--level', 'specification', '--header', 'X-One: 1'];
    const opened = await against(new GuardedService(), ...args, '--header', 'Authorization: Bearer open-sesame');
    expect(opened.code).toBe(0);
  });

  it.each<[string, PlainService, string[], RegExp]>([
    [
      'requires a token',
      new GuardedService(),
      [],
      /^the service requires a token: give one with --header 'Authorization: Bearer TOKEN'$/,
    ],
    [
      'rejects the token',
      new GuardedService(),
      ['--header', 'Authorization: Bearer sesame'],
      /^the service rejects the token of --header: give a valid one$/,
    ],
    [
      'accepts a token for its list only',
      new ReadableService(),
      [],
      /^the token lacks the scope bookings:write: give one that has, or use --read-only$/,
    ],
    [
      'has a schema of its own',
      new DinnerService(),
      [],
      /^the service has its own schema, which rejects \{\} \(#\/guest is not a string\): give .+ --payload FILE$/,
    ],
    [
      'rejects the payload that is given for its schema',
      new DinnerService(),
      ['--payload', fileOf({ guest: 7 })],
      /^the service rejects the payload of --payload with a slot of this run \(#\/guest is not a string\): give one/,
    ],
  ])('ends with 2 and one line, before any check, where the service %s', async (_, service, args, line) => {
    const { code, stdout, stderr } = await against(service, ...args);
    expect(stderr).toMatch(/^bookings-conformance: [^\n]+\n$/);
    expect(stderr.slice('bookings-conformance: '.length, -1)).toMatch(line);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('conforms with a payload for a schema of its own, and skips what that schema rejects', async () => {
    const file = fileOf({ guest: 'Ada', slot: { resource_id: 'left out' } });
    const payload = ['--level', 'interface', '--payload', file];
    const closed = await against(new DinnerService(), ...payload);
    expect(closed.stdout).toContain('  pass  slot.overlap-rejected');
    expect(closed.stdout).toContain("(the service's own schema rejects a payload of it)");
    expect([closed.code, closed.stderr]).toEqual([0, '']);
    const open = await against(new GuestService(), ...payload);
    expect(open.code).toBe(0);
    const skipped = ({ stdout }: Ended) => Number(/, (\d+) skipped\n$/.exec(stdout)![1]);
    expect(skipped(open)).toBeLessThan(skipped(closed));
    expect(skipped(closed)).toBeLessThan(60);
  });

  it('still finds what is wrong with a payload', async () => {
    const args = ['--level', 'interface', '--payload', fileOf({ guest: 'Ada' })];
    const { code, stdout } = await against(new DinnerWithoutLocation(), ...args);
    expect(code).toBe(1);
    expect(stdout).toMatch(/ 1 failed, \d+ skipped\nfailed:\n {2}create\.location\n$/);
  });

  it('ends with 0 and its usage for --help', async () => {
    const { code, stdout } = await run('--help');
    expect(stdout).toMatch(/^Usage: bookings-conformance \[options\] URL\n/);
    expect(code).toBe(0);
  });

  it.each([
    ['no URL', []],
    ['two URLs', ['http://localhost:1', 'http://localhost:2']],
    ['no URL that can be checked', ['localhost']],
    ['an option that is not known', ['--all', 'http://localhost:1']],
    ['a level that is not known', ['--level', 'all', 'http://localhost:1']],
    ['a timeout that is no number', ['--timeout', 'long', 'http://localhost:1']],
    ['an empty timeout', ['--timeout', '', 'http://localhost:1']],
    ['a header that is none', ['--header', 'Authorization', 'http://localhost:1']],
    ['a payload file that is not there', ['--payload', '/none', 'http://localhost:1']],
    ['a payload file that is not JSON', ['--payload', fileOf('{'), 'http://localhost:1']],
    ['a payload that is no object', ['--payload', fileOf([]), 'http://localhost:1']],
    ['a level of events without a port', ['--level', 'events', 'http://localhost:1']],
    ['a port of events without a secret', ['--events-port', '4000', 'http://localhost:1']],
    ['an empty port of events', ['--events-port', '', '--events-secret', secret, 'http://localhost:1']],
    ['a host where nothing responds', ['http://127.0.0.1:1']],
  ])('ends with 2 and one line for %s', async (_, args) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stderr).toMatch(/^bookings-conformance: .+\n$/);
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('The built package', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));

  it('can be imported by its name', () => {
    const use =
      "import { levels, runConformance } from '@booking-service/conformance'; console.log(levels.length, runConformance.length)";
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', use], { cwd: root });
    expect(printed.toString()).toBe('4 1\n');
  });

  it('depends on nothing', () => {
    const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { dependencies?: object };
    expect(manifest.dependencies).toBeUndefined();
    for (const name of readdirSync(`${root}/dist`, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.js')) continue;
      const code = readFileSync(`${root}/dist/${name}`, 'utf8');
      for (const [, specifier] of code.matchAll(/^(?:import|export)\b.* from '([^']+)'/gm)) {
        expect(specifier).toMatch(/^(?:node:[\w/]+|\.{1,2}\/[\w./-]+\.js)$/);
      }
    }
  });
});
