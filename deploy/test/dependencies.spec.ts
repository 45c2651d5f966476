import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const workspace = join(import.meta.dirname, '../..');

describe('The scripts', () => {
  it('keep turbo from reporting that it is used', () => {
    const { scripts } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const withTurbo = Object.values(scripts).filter((script) => /\bturbo\b/.test(script));
    expect(withTurbo.length).toBeGreaterThan(5);
    expect(withTurbo.filter((script) => !/^pnpm turbo run|\bDO_NOT_TRACK=1 turbo\b/.test(script))).toEqual([]);
  });
});

describe('The workflows', () => {
  it('name every action of others by its commit', () => {
    const folder = join(workspace, '.github/workflows');
    const used = readdirSync(folder).flatMap((file) => {
      return [...readFileSync(join(folder, file), 'utf8').matchAll(/\buses: (\S+)/g)].map(([, action]) => action!);
    });
    const ofOthers = used.filter((action) => !action.startsWith('./'));
    expect(ofOthers.length).toBeGreaterThan(5);
    expect(ofOthers.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });
});

describe('The packages', () => {
  it('take every version that several of them need from the catalog', () => {
    const manifests = ['apps', 'packages', 'tools', 'examples'].flatMap((group) => {
      return readdirSync(join(workspace, group)).map((name) => join(workspace, group, name, 'package.json'));
    });
    const versions = [...manifests.filter((path) => existsSync(path)), join(workspace, 'deploy/package.json')]
      .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>)
      .flatMap(({ dependencies, devDependencies }) => Object.entries({ ...dependencies, ...devDependencies }))
      .filter(([, version]) => /^\d/.test(version))
      .map(([name]) => name);
    expect(versions.length).toBeGreaterThan(20);
    expect(versions.filter((name, index) => versions.indexOf(name) !== index)).toEqual([]);
  });
});
