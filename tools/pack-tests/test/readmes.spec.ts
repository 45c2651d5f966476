import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceProcess } from 'testing';
import { PACKAGES, Project, root } from './project.js';

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

let project: Project;
let service: ServiceProcess;

beforeAll(async () => {
  project = new Project();
  service = await ServiceProcess.start();
});

afterAll(async () => {
  await service?.stop();
  project?.remove();
});

const at = ({ url }: ServiceProcess, code: string): string => code.replaceAll('http://localhost:3000', url);

/** The output that comments of a program promise: after a statement, or on separate lines that begin with `#`. */
function promisedBy(code: string): string[] {
  return [...code.matchAll(/\); \/\/ (.*)$|^ *\/\/ (#.*)$/gm)].map(([, after, below]) => after ?? below!);
}

async function whatPrints(name: string): Promise<string[]> {
  const { code, printed } = await project.run(`${name}.js`);
  return [...printed.trim().split('\n'), ...(code === 0 ? [] : [`exit code ${code}`])].filter(Boolean);
}

describe('The programs of the READMEs, with the installed packages', () => {
  beforeAll(async () => {
    for (const { name, code } of programs) project.write(`${name}.ts`, at(service, code));
    const files = programs.map(({ name }) => `${name}.ts`);
    expect(await project.runTool('typescript/bin/tsc', ...COMPILER_FLAGS, ...files)).toEqual({ code: 0, printed: '' });
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

  /** Replaces ids and times, which differ from run to run. */
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
    project.write('readme.js', at(fresh, examples[2]!.code));
    expect((await project.run('readme.js')).printed).toBe(examples[2]!.printed);
    await fresh.stop();
  });
});
