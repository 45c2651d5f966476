import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../src/main.js', import.meta.url));
const DOCUMENT = 'packages/contracts/openapi.json';
const BROKEN = '- GET /v1/bookings: api removed without deprecation (api-removed-without-deprecation)';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-breaking-'));
  git('init', '--quiet', '--initial-branch=main');
  release('0.1.0-preview.1');
  write('.changeset/README.md', '');
  writeDocument();
  commit();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing of this machine's: neither its settings of git nor a repository that a hook runs in. */
const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };

function git(...args: string[]): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  return execFileSync('git', [...who, ...args], { cwd: folder, env, encoding: 'utf8' }).trim();
}

function write(path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Writes a document of two operations, of one where it is broken, or of three. */
function writeDocument({ broken = false, added = false } = {}): void {
  const operation = (operationId: string) => ({ operationId, responses: { 200: { description: 'Fine' } } });
  const methods = {
    post: operation('create'),
    ...(!broken && { get: operation('list') }),
    ...(added && { put: operation('replace') }),
  };
  const info = { title: 'Bookings', version: '1' };
  write(DOCUMENT, JSON.stringify({ openapi: '3.1.1', info, paths: { '/v1/bookings': methods } }));
}

function release(version: string): void {
  write('packages/contracts/package.json', JSON.stringify({ name: '@booking-service/contracts', version }));
}

function announce(name: string, bump: string, packageName = '@booking-service/contracts'): void {
  write(`.changeset/${name}.md`, `---\n'${packageName}': ${bump}\n---\n\nBookings say no more when they were made.\n`);
}

function commit(): string {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'A change');
  return git('rev-parse', 'HEAD');
}

function check(args: string[] = [], variables: Record<string, string> = {}): { code: number | null; printed: string } {
  const options = { cwd: folder, env: { ...env, ...variables }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
  return { code: status, printed: stdout + stderr };
}

describe('pnpm contract:breaking', () => {
  it('fails on a break, says what it is and how to announce it', () => {
    writeDocument({ broken: true });
    const { code, printed } = check(['--base', 'HEAD']);
    expect(code).toBe(1);
    expect(printed.split('\n')).toEqual([
      `${DOCUMENT} breaks what it said in HEAD (${git('rev-parse', '--short=12', 'HEAD')}):`,
      ...BROKEN.split('\n'),
      'Undo it, or run `pnpm changeset` for a minor bump of @booking-service/contracts.',
      '',
    ]);
  });

  it('says that nothing breaks', () => {
    const { code, printed } = check(['--base', 'HEAD']);
    expect(printed).toMatch(/^packages\/contracts\/openapi\.json breaks nothing that it said in HEAD \(\w{12}\)\.\n$/);
    expect(code).toBe(0);
  });

  it('exits with 2 without git', () => {
    rmSync(join(folder, '.git'), { recursive: true });
    expect(check()).toEqual({ code: 2, printed: 'The contracts cannot be compared: git finds no commit here\n' });
  });

  it('exits with 2 for an unknown commit and for a document that is not OpenAPI', () => {
    expect(check(['--base', 'nowhere'])).toEqual({
      code: 2,
      printed: 'The contracts cannot be compared: nowhere is no commit of this repository\n',
    });
    write(DOCUMENT, '{ "paths": [] }');
    const { code, printed } = check(['--base', 'HEAD']);
    expect(code).toBe(2);
    expect(printed).toContain('The contracts cannot be compared: ');
  });
});

describe('What it compares with', () => {
  it('is nothing where there is neither origin nor a release, and it says so', () => {
    writeDocument({ broken: true });
    const { code, printed } = check();
    expect(printed).toMatch(
      /^Nothing to compare packages\/contracts\/openapi\.json with: origin has no main branch that this one left, and there is no release\..*\n$/,
    );
    expect(code).toBe(0);
  });

  it('is where the branch left the one of origin, not what was added there since', () => {
    const fork = git('rev-parse', 'HEAD');
    writeDocument({ added: true });
    git('update-ref', 'refs/remotes/origin/main', commit());
    git('switch', '--quiet', '--create', 'work', fork);
    commit();
    const found = { code: 0, printed: expect.stringContaining(`in origin/main (${fork.slice(0, 12)})`) as string };
    expect(check()).toMatchObject(found);
    expect(check(['--base', 'origin/main'])).toMatchObject(found);
    writeDocument({ broken: true });
    expect(check()).toMatchObject({ code: 1, printed: expect.stringContaining(BROKEN) });
  });

  it('is the last release on the branch of origin itself', () => {
    git('tag', '@booking-service/contracts@0.1.0-preview.1');
    writeDocument({ broken: true });
    git('update-ref', 'refs/remotes/origin/main', commit());
    git('tag', '@booking-service/client@0.1.0-preview.9');
    const { code, printed } = check();
    expect(printed).toContain('in @booking-service/contracts@0.1.0-preview.1 (');
    expect(code).toBe(1);
  });

  it('can be named by CONTRACT_BASE; zeros, which GitHub writes for no commit, and nothing name none', () => {
    const before = git('rev-parse', 'HEAD');
    writeDocument({ broken: true });
    commit();
    expect(check([], { CONTRACT_BASE: before })).toMatchObject({ code: 1 });
    for (const none of ['0'.repeat(40), '']) {
      expect(check([], { CONTRACT_BASE: none }).printed).toContain('Nothing to compare');
    }
  });

  it('may have no document yet', () => {
    rmSync(join(folder, DOCUMENT));
    commit();
    writeDocument();
    const { code, printed } = check(['--base', 'HEAD']);
    expect(printed).toContain(`Nothing to compare with: there is no ${DOCUMENT} in HEAD`);
    expect(code).toBe(0);
  });
});

describe('A break is permitted', () => {
  beforeEach(() => writeDocument({ broken: true }));

  it.each(['minor', 'major'])('before 1.0, by a new changeset with a %s bump of the contracts', (bump) => {
    announce('away', bump);
    const { code, printed } = check(['--base', 'HEAD']);
    expect(printed).toContain(`${BROKEN}\nThis is announced by .changeset/away.md.\n`);
    expect(code).toBe(0);
  });

  it('from 1.0 on, by a major bump alone', () => {
    release('1.2.0');
    commit();
    writeDocument();
    commit();
    writeDocument({ broken: true });
    announce('away', 'minor');
    expect(check(['--base', 'HEAD'])).toMatchObject({ code: 1, printed: expect.stringContaining('a major bump') });
    announce('away', 'major');
    expect(check(['--base', 'HEAD'])).toMatchObject({ code: 0 });
  });

  it.each([
    ['a patch', () => announce('away', 'patch')],
    ['a bump of another package', () => announce('away', 'major', '@booking-service/client')],
  ])('not by %s', (_what, change) => {
    change();
    expect(check(['--base', 'HEAD'])).toMatchObject({ code: 1 });
  });

  it('not by a changeset that was there before: it announced something else', () => {
    writeDocument();
    announce('earlier', 'minor');
    commit();
    writeDocument({ broken: true });
    expect(check(['--base', 'HEAD'])).toMatchObject({ code: 1 });
  });

  it.each([
    ['0.2.0-preview.0', 0],
    ['1.0.0', 0],
    ['0.1.0-preview.2', 1],
    ['0.1.1', 1],
  ])('by the version that such a changeset led to: %s exits with %i', (version, code) => {
    release(version);
    expect(check(['--base', 'HEAD'])).toMatchObject({ code });
  });
});
