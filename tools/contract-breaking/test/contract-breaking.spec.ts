import { execSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from 'testing';

const root = join(import.meta.dirname, '../../..');
const DOCUMENT = 'packages/contracts/openapi.json';
const committed = readFileSync(join(root, DOCUMENT), 'utf8');
const folder = temporaryFolder();
const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };

beforeAll(() => {
  for (const name of ['.changeset', 'packages/contracts']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, DOCUMENT), committed);
  run('git init --quiet');
  announce('older', 'minor');
  run('git -c user.name=Ada -c user.email=ada@example.org commit --quiet --message "A change"');
});

const run = (command: string): unknown => execSync(command, { cwd: folder, env });

function announce(changeset: string, bump: string): void {
  writeFileSync(join(folder, `.changeset/${changeset}.md`), `---\n'@booking-service/contracts': ${bump}\n---\n`);
  run('git add --all');
}

function check(find: RegExp, replacement: string, base = 'HEAD'): object {
  const changed = committed.replaceAll(find, replacement);
  expect(changed).not.toBe(committed);
  writeFileSync(join(folder, DOCUMENT), changed);
  const program = join(root, 'tools/contract-breaking/src/main.js');
  const { status, output } = spawnSync(process.execPath, [program, '--base', base], { cwd: folder, env });
  return { status, printed: output.join('') };
}

const rename: [RegExp, string] = [/"operationId": "getBooking"/g, '"operationId": "readBooking"'];

describe('pnpm contract:breaking', () => {
  it.each<[string, number, string, RegExp, string]>([
    ['another name of an operation', 1, '(api-operation-id-removed)', ...rename],
    ['a token that becomes required', 1, '(api-security-removed)', /"security": \[\s+\{\},/g, '"security": ['],
    ['another name of a scope', 1, '(api-security-scope-added)', /"bookings:read"/g, '"reservations:read"'],
    ['a longer page', 1, 'maxContains was increased', /"maxItems": 100\b/g, '"maxItems": 1000'],
    ['a page without a limit', 1, 'maxContains was increased', /,\s+"maxItems": 100\b/g, ''],
    ['another length of a header', 1, 'GET /headers: the `ETag`', /("ETag": [^}]*"maxLength": )\d+/g, '$1999'],
    ['an event without a member', 1, 'GET /bookingCreated: removed', /"datacontenttype": \{[^}]*\},/g, ''],
    ['no free members', 1, '(other)', /"additionalProperties": true/g, '"additionalProperties": false'],
    ['a new problem type', 0, 'consumers: 0', /(?<="enum": \[\s+)"urn:problem-type:/g, '"urn:problem-type:new", $&'],
  ])('judges unlike oasdiff alone: %s exits with %i', (_, status, expected, find, replacement) => {
    expect(check(find, replacement)).toEqual({ status, printed: expect.stringContaining(expected) });
  });

  it('permits a break that a new changeset announces by a minor bump, not by a patch', () => {
    announce('new', 'patch');
    expect(check(...rename)).toMatchObject({ status: 1 });
    announce('new', 'minor');
    expect(check(...rename)).toEqual({ status: 0, printed: expect.stringContaining('contracts: new') });
  });

  it('exits with 2 and asks for --base if there is nothing to compare with', () => {
    expect(check(...rename, 'nowhere')).toEqual({ status: 2, printed: expect.stringContaining('with --base') });
  });
});
