import { execFile, execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess } from 'testing';

const root = join(import.meta.dirname, '../../..');
const dependencies = join(import.meta.dirname, '../node_modules');
const PACKAGES = ['contracts', 'client', 'conformance'];
const COMPILER_FLAGS = [
  '--target',
  'es2023',
  '--module',
  'nodenext',
  '--strict',
  '--exactOptionalPropertyTypes',
].concat(['--skipLibCheck', '--types', 'node']);

/** The programs of the packages' READMEs. */
const programs = PACKAGES.flatMap((name) => {
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
  return [...readme.matchAll(/```(?:ts|js)\n(.*?)```/gs)].map(([, code], index) => ({
    name: `${name}-${index + 1}`,
    code: code!,
  }));
});

/** A TypeScript project of others, which has the packages from their tarballs. */
let project: string;
let service: ServiceProcess;

beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'pack-tests-')));
  installPackages();
  service = await ServiceProcess.start();
});

afterAll(async () => {
  await service?.stop();
  rmSync(project, { recursive: true, force: true });
});

/** Nothing is fetched: zod and the types of Node are those of the workspace. */
function installPackages(): void {
  const stdio = 'pipe';
  for (const name of PACKAGES)
    execFileSync('pnpm', ['pack', '--pack-destination', project], { cwd: join(root, 'packages', name), stdio });
  const tarballs = readdirSync(project).map((name) => `./${name}`);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const zod = realpathSync(join(dependencies, 'zod'));
  execFileSync('npm', ['install', '--offline', '--ignore-scripts', ...tarballs, zod], { cwd: project, stdio });
  mkdirSync(join(project, 'node_modules/@types'));
  symlinkSync(realpathSync(join(dependencies, '@types/node')), join(project, 'node_modules/@types/node'));
}

/** Runs a program of Node in the project: what it prints on both outputs, and its exit code. */
async function run(...args: string[]): Promise<{ code: number; printed: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: project }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, printed: stdout + stderr });
    });
  });
}

const at = ({ url }: ServiceProcess, code: string): string => code.replaceAll('http://localhost:3000', url);

/** What a program prints, as its comments say: after a statement, or on separate lines that begin with `#`. */
function promisedBy(code: string): string[] {
  return [...code.matchAll(/\); \/\/ (.*)$|^ *\/\/ (#.*)$/gm)].map(([, after, below]) => after ?? below!);
}

async function whatPrints(name: string): Promise<string[]> {
  const { code, printed } = await run(`${name}.js`);
  return [...printed.trim().split('\n'), ...(code === 0 ? [] : [`exit code ${code}`])].filter(Boolean);
}

describe('The programs of the READMEs, with the installed packages', () => {
  beforeAll(async () => {
    for (const { name, code } of programs) writeFileSync(join(project, `${name}.ts`), at(service, code));
    const compiler = join(dependencies, 'typescript/bin/tsc');
    const files = programs.map(({ name }) => `${name}.ts`);
    expect(await run(compiler, ...COMPILER_FLAGS, ...files)).toEqual({ code: 0, printed: '' });
  });

  it('do what the client says: the first time the slot is free, and then it is held', async () => {
    expect(await whatPrints('client-1')).toEqual([expect.stringMatching(/^[\w-]{36}$/), 'Ada']);
    expect(await whatPrints('client-1')).toEqual(['held from 2026-12-01T09:00:00.000Z', 'Ada']);
  });

  it.each(programs.filter(({ name }) => name !== 'client-1'))('print what they say: $name', async ({ name, code }) => {
    expect(await whatPrints(name)).toEqual(promisedBy(code));
  });
});

describe('The README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  /** A block of code and the block of what it prints. */
  const examples = [...readme.matchAll(/```(sh|js)\n([^`]+)```\n\n```\n([^`]+)```/g)].map(
    ([, language, code, printed]) => ({ language, code: code!, printed: printed! }),
  );

  /** Without ids and times, which differ from run to run. */
  const normalized = (text: string): string =>
    text
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, 'ID')
      .replaceAll(/(?<="created_at":")[^"]+/g, 'NOW')
      .trim();

  it('shows what its commands and its program print', async () => {
    // Its slots are free in a service of its own.
    const fresh = await ServiceProcess.start();
    expect(examples.map(({ language }) => language)).toEqual(['sh', 'sh', 'js']);
    for (const { code, printed } of examples.slice(0, 2)) {
      const command = at(fresh, code).replace('curl -i', 'curl -si');
      const [head, body] = normalized(execFileSync('bash', ['-c', command]).toString()).split('\r\n\r\n');
      const [shownHead, shownBody] = normalized(printed).split('\n\n');
      expect(head!.split('\r\n')).toEqual(expect.arrayContaining(shownHead!.split('\n')));
      expect(body).toBe(shownBody);
    }
    writeFileSync(join(project, 'readme.js'), at(fresh, examples[2]!.code));
    expect((await run('readme.js')).printed).toBe(examples[2]!.printed);
    await fresh.stop();
  });
});
