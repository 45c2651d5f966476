import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { LICENSES_FILE, licensesDocument, notAllowed, runtimePackages } from '../runtime-licenses.js';

const workspace = join(import.meta.dirname, '../..');

describe('The licences of what runs', () => {
  it('are in the document that is committed', () => {
    expect(readFileSync(join(workspace, LICENSES_FILE), 'utf8')).toBe(licensesDocument(runtimePackages()));
  });

  it('are all allowed', () => {
    expect(notAllowed(runtimePackages())).toEqual([]);
  });

  it('would be found if one were not', () => {
    const copyleft = { name: 'some', version: '1.0.0', license: 'AGPL-3.0' };
    expect(notAllowed([...runtimePackages(), copyleft])).toEqual([copyleft]);
  });
});

describe('The audit of what runs', () => {
  const advisory = { id: 1, url: 'https://example.com/1', title: 'A hole', severity: 'high', vulnerable_versions: '*' };

  it('ends with 0 when the registry knows of nothing', async () => {
    expect(await audited(200, {})).toEqual({ code: 0, stdout: 'Known vulnerabilities of what runs: 0.\n', stderr: '' });
  });

  it('ends with 1 and names what the registry knows', async () => {
    const { code, stderr } = await audited(200, { express: [advisory] });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'high: express: A hole (https://example.com/1)\n' });
  });

  it('leaves out what only the benchmark uses', async () => {
    expect(await audited(200, { 'json-server': [advisory] })).toMatchObject({ code: 0 });
  });

  it('ends with 2 and says so when the registry does not respond', async () => {
    const { code, stderr } = await audited(405, {});
    expect(code).toBe(2);
    expect(stderr).toMatch(/^NOT AUDITED: the registry gave no response/);
  });
});

describe('The scripts', () => {
  it('keep turbo from reporting that it is used', () => {
    const { scripts } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const withTurbo = Object.values(scripts).filter((script) => script.includes('turbo '));
    expect(withTurbo.length).toBeGreaterThan(5);
    expect(withTurbo.filter((script) => !script.startsWith('DO_NOT_TRACK=1 turbo '))).toEqual([]);
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
    const manifests = ['apps', 'packages', 'examples'].flatMap((group) => {
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

/** The audit with a registry that responds with this. */
async function audited(status: number, body: object): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const registry = createServer((_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  const audit = spawn(process.execPath, [join(workspace, 'deploy/audit.js')], {
    env: { ...process.env, pnpm_config_registry: url },
  });
  const [stdout, stderr, [code]] = await Promise.all([text(audit.stdout), text(audit.stderr), once(audit, 'exit')]);
  registry.close();
  return { code, stdout, stderr };
}
