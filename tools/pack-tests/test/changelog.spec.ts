import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packages } from './support/consumer.js';

const workspace = fileURLToPath(new URL('../../..', import.meta.url));

interface Manifest {
  version: string;
  files: string[];
}

/** The changes that wait for a release: the packages they name, and the first words of each. */
const changes = readdirSync(join(workspace, '.changeset'))
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => {
    const [, head = '', text = ''] = readFileSync(join(workspace, '.changeset', name), 'utf8').split(/^---$/m);
    return {
      named: packages.filter((each) => head.includes(`@booking-service/${each}'`)),
      words: text.trim().slice(0, 40),
    };
  });

describe('The change log of each package, as it will be published', () => {
  let copy: string;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'changelog-'));
    const files = ['apps', 'examples', 'packages', 'tools'].flatMap((parent) =>
      readdirSync(join(workspace, parent)).flatMap((name) => {
        return ['package.json', 'CHANGELOG.md'].map((file) => `${parent}/${name}/${file}`);
      }),
    );
    for (const file of ['.changeset', 'package.json', 'pnpm-workspace.yaml', 'deploy/package.json', ...files]) {
      if (existsSync(join(workspace, file))) cpSync(join(workspace, file), join(copy, file), { recursive: true });
    }
    const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
    const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: copy, env, stdio: 'pipe' });
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    run('git', 'init', '--quiet');
    run('git', 'add', '--all');
    run('git', ...who, 'commit', '--quiet', '--message', 'A change');
    run(process.execPath, join(workspace, 'node_modules/@changesets/cli/bin.js'), 'version');
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it.each(packages)(
    'of %s begins with the next label, has every change that names it, and is in its tarball',
    (name) => {
      const { version, files } = JSON.parse(
        readFileSync(join(copy, 'packages', name, 'package.json'), 'utf8'),
      ) as Manifest;
      const log = readFileSync(join(copy, 'packages', name, 'CHANGELOG.md'), 'utf8');
      expect(version).toMatch(/^\d+\.\d+\.\d+-preview\.\d+$/);
      expect(log.startsWith(`# @booking-service/${name}\n\n## ${version}\n`)).toBe(true);
      const ofPackage = changes.filter(({ named }) => named.includes(name));
      for (const { words } of ofPackage) expect(log).toContain(words.split('\n')[0]);
      expect(files).toContain('CHANGELOG.md');
    },
  );
});
