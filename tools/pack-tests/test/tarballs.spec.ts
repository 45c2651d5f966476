import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { installed, packages, programOf, run, tarball } from './support/consumer.js';

interface Manifest {
  version: string;
  homepage: string;
  bugs: string;
  repository: { type: string; url: string; directory: string };
  dependencies?: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
}

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The files below a folder, each with its path from there. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

describe.each(packages)('The tarball of %s', (name) => {
  const folder = installed(name);

  it('passes publint without a warning', async () => {
    const { code, printed } = await run([programOf('publint'), 'run', '--strict', tarball(name)]);
    expect(printed).toContain('All good!');
    expect(code).toBe(0);
  });

  it('has types that are right wherever ES modules can be used, says attw', async () => {
    const options = ['--profile', 'esm-only', '--no-definitely-typed', '--no-color', '--format', 'ascii'];
    const { code, printed } = await run([programOf('@arethetypeswrong/cli', 'attw'), tarball(name), ...options]);
    expect(printed).toContain(`"@booking-service/${name}"`);
    expect({ code, printed: code === 0 ? '' : printed }).toEqual({ code: 0, printed: '' });
  });

  it('holds the build, its sources for debuggers, the papers, and nothing else', () => {
    const own = { contracts: ['openapi.json'], client: [], conformance: ['bin'] }[name];
    const top = ['LICENSE', 'README.md', 'dist', 'package.json', 'src', ...own];
    expect(readdirSync(folder).filter((file) => file !== 'CHANGELOG.md')).toEqual(top.toSorted());
    for (const file of filesIn(join(folder, 'src'))) expect(file).toMatch(/^(checks\/)?[a-z-]+\.ts$/);
    for (const file of filesIn(join(folder, 'dist'))) expect(file).toMatch(/^(checks\/)?[a-z-]+\.(js|d\.ts)(\.map)?$/);
  });

  it('has every file that its `exports` name, and every source that its maps name', () => {
    for (const target of Object.values(manifestOf(folder).exports)) {
      for (const file of typeof target === 'string' ? [target] : Object.values(target)) {
        expect(existsSync(join(folder, file))).toBe(true);
      }
    }
    for (const file of filesIn(join(folder, 'dist')).filter((file) => file.endsWith('.map'))) {
      const { sources } = JSON.parse(readFileSync(join(folder, 'dist', file), 'utf8')) as { sources: string[] };
      expect(sources).toHaveLength(1);
      expect(existsSync(join(folder, 'dist', dirname(file), sources[0]!))).toBe(true);
    }
  });

  it('says where its sources and issues are, and is not published before that is a real place', () => {
    const { repository, homepage, bugs } = manifestOf(folder);
    expect(repository).toMatchObject({ type: 'git', directory: `packages/${name}` });
    const [, place] = /^git\+https:\/\/github\.com\/([^/]+\/[^/]+)\.git$/.exec(repository.url)!;
    expect(homepage).toBe(`https://github.com/${place}/tree/main/packages/${name}#readme`);
    expect(bugs).toBe(`https://github.com/${place}/issues`);
    const prepublish = spawnSync('npm', ['run', 'prepublishOnly'], { cwd: folder, encoding: 'utf8' });
    expect(prepublish.status).toBe(place === 'OWNER/REPOSITORY' ? 1 : 0);
  });

  it('is labelled a preview, and names the very versions it was tested with', () => {
    const { version, dependencies = {} } = manifestOf(folder);
    expect(version).toMatch(/^\d+\.\d+\.\d+-preview\.\d+$/);
    expect(Object.keys(dependencies)).toEqual(
      { contracts: ['zod'], client: ['@booking-service/contracts'], conformance: [] }[name],
    );
    for (const range of Object.values(dependencies)) expect(range).toMatch(/^\d+\.\d+\.\d+(-preview\.\d+)?$/);
  });
});
