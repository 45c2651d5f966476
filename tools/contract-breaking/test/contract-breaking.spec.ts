import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';

const root = join(import.meta.dirname, '../../..');
const DOCUMENT = 'packages/contracts/openapi.json';
const committed = readFileSync(join(root, DOCUMENT), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'contract-breaking-'));
const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };

beforeAll(() => {
  for (const name of ['.changeset', 'packages/contracts']) mkdirSync(join(folder, name), { recursive: true });
  git('init', '--quiet');
  writeFileSync(join(folder, DOCUMENT), committed);
  announce('older', 'minor');
  git('commit', '--quiet', '--message', 'A change');
});
afterAll(() => rmSync(folder, { recursive: true }));

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: folder, env });
}

function announce(changeset: string, bump: string): void {
  writeFileSync(join(folder, `.changeset/${changeset}.md`), `---\n'@booking-service/contracts': ${bump}\n---\n`);
  git('add', '--all');
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
  it.each([
    ['another name of an operation', ...rename, '(api-operation-id-removed)'],
    ['a token that becomes required', /"security": \[\s+\{\},/g, '"security": [', '(api-security-removed)'],
    ['another length of a header', /("ETag": [^}]*"maxLength": )\d+/g, '$1999', 'GET /headers: the `ETag`'],
    ['an event without a member', /"datacontenttype": \{[^}]*\},/g, '', 'GET /bookingCreated: removed'],
    ['payloads without free members', /"additionalProperties": \{\}/g, '"additionalProperties": false', '(other)'],
  ])('fails on a break that oasdiff alone overlooks: %s', (_, find, replacement, expected) => {
    expect(check(find, replacement)).toEqual({ status: 1, printed: expect.stringContaining(expected) });
  });

  it('takes a new problem type for no break', () => {
    const more = check(/(?<="enum": \[\s+)"urn:problem-type:/g, '"urn:problem-type:new", $&');
    expect(more).toEqual({ status: 0, printed: expect.stringMatching(/^0 changes/) });
  });

  it('exits with 2 where there is nothing to compare with', () => {
    const printed: unknown = expect.stringContaining('Name a commit with --base.');
    expect(check(...rename, 'nowhere')).toEqual({ status: 2, printed });
  });

  it('permits a break that a new changeset announces by a minor bump, not by a patch', () => {
    announce('new', 'patch');
    expect(check(...rename)).toMatchObject({ status: 1 });
    announce('new', 'minor');
    expect(check(...rename)).toEqual({ status: 0, printed: expect.stringContaining('by .changeset/new.md') });
  });
});

it('The OpenAPI document passes the strictest rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  expect(await lint({ ref: join(root, DOCUMENT), config })).toEqual([]);
});
