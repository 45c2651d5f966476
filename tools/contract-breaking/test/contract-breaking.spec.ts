import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';

const workspace = join(import.meta.dirname, '../../..');
const DOCUMENT = 'packages/contracts/openapi.json';
const committed = readFileSync(join(workspace, DOCUMENT), 'utf8');
const broken = committed.replaceAll('"operationId": "getBooking"', '"operationId": "readBooking"');
const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };

describe('pnpm contract:breaking', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'contract-breaking-'));
    for (const path of ['.changeset', 'packages/contracts']) mkdirSync(join(folder, path), { recursive: true });
    git('init', '--quiet');
    write(DOCUMENT, committed);
    commit();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: folder, env });
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  const commit = (): void => void [git('add', '--all'), git('commit', '--quiet', '--message', 'A change')];
  const announce = (bump: string): void =>
    write('.changeset/away.md', `---\n'@booking-service/contracts': ${bump}\n---\n\nAnother name.\n`);
  const check = (base = 'HEAD') => {
    const program = join(workspace, 'tools/contract-breaking/src/main.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--base', base], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return { status, printed: stdout + stderr };
  };

  it.each([
    ['the name of an operation', broken, '(api-operation-id-removed)'],
    [
      'the right to come without a token',
      committed.replace(/"security": \[\s+\{\},/, '"security": ['),
      '(api-security-removed)',
    ],
    ['the schema of a header', committed.replace(/("ETag": [^}]*"maxLength": )\d+/, '$1999'), 'ETag'],
  ])('fails on a break that oasdiff alone takes for none: %s', (_, changed, found) => {
    expect(changed).not.toBe(committed);
    write(DOCUMENT, changed);
    expect(check()).toEqual({ status: 1, printed: expect.stringContaining(found) });
  });

  it('takes a new problem type for none', () => {
    const more = committed.replaceAll(
      /"enum": \[\s+"urn:problem-type:/g,
      '"enum": ["urn:problem-type:new", "urn:problem-type:',
    );
    expect(more).not.toBe(committed);
    write(DOCUMENT, more);
    expect(check()).toEqual({ status: 0, printed: expect.stringContaining('breaks nothing') });
  });

  it('permits a break that a new changeset announces by a minor bump, and by no patch', () => {
    write(DOCUMENT, broken);
    announce('patch');
    expect(check()).toMatchObject({ status: 1 });
    announce('minor');
    expect(check()).toEqual({ status: 0, printed: expect.stringContaining('announced by .changeset/away.md') });
  });

  it('permits none by a changeset that was there before', () => {
    announce('minor');
    commit();
    write(DOCUMENT, broken);
    expect(check()).toMatchObject({ status: 1 });
  });

  it('exits with 2 where there is nothing to compare with', () => {
    expect(check('nowhere')).toEqual({ status: 2, printed: expect.stringContaining('Name a commit with --base.') });
  });
});
