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

  it('support Node 20.19, so that no install on it warns', () => {
    const lockfile = readFileSync(join(workspace, 'pnpm-lock.yaml'), 'utf8');
    const engines = [...lockfile.matchAll(/^ {2}(\S+):\n {4}.+\n {4}engines: \{.*node: '?([^',}]+)/gm)];
    expect(engines.length).toBeGreaterThan(500);
    const tooNew = engines.filter(([, , range]) => !range!.split('||').some(hasNode20));
    expect(tooNew.map(([, name, range]) => `${name} needs Node ${range}`)).toEqual([]);
  });
});

/** Whether Node 20.19 is in one alternative of a range of versions, as packages name them: `>=18`, `^20.11.0`, `20`. */
function hasNode20(alternative: string): boolean {
  const [, operator, major, minor = '0'] = /^\s*(>=|\^)?\s*(\d+)(?:\.(\d+))?/.exec(alternative)!;
  if (Number(major) === 20) return Number(minor) <= 19;
  return operator === '>=' && Number(major) < 20;
}
