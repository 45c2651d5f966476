import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { installed, packages, type PackageName, project, run, serviceUrl } from './support/consumer.js';
import { errorsIn, platforms } from './support/types.js';

const folder = project('node-esm');

interface Example {
  /** The README, and which of its programs it is. */
  name: string;
  code: string;
}

/** The programs of a README, against the service of these tests. */
function examplesOf(name: PackageName): Example[] {
  const readme = readFileSync(join(installed(name), 'README.md'), 'utf8');
  return [...readme.matchAll(/```(?:ts|js)\n(.*?)```/gs)].map(([, code], index) => ({
    name: `${name} ${index + 1}`,
    code: code!.replaceAll('http://localhost:3000', serviceUrl),
  }));
}

const examples = packages.flatMap(examplesOf);

/** What a program prints, as its comments say: behind a statement, or on separate lines that begin with `#`. */
function promisedBy(code: string): string[] {
  return [...code.matchAll(/\); \/\/ (.*)$|^ *\/\/ (#.*)$/gm)].map(([, behind, below]) => behind ?? below!);
}

async function whatPrints({ code }: Example): Promise<string[]> {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  writeFileSync(join(folder, 'example.js'), ts.transpileModule(code, { compilerOptions }).outputText);
  const { code: exitCode, printed } = await run(['example.js'], folder);
  return [...printed.trim().split('\n'), ...(exitCode === 0 ? [] : [`exit code ${exitCode}`])].filter(Boolean);
}

describe('The programs of the READMEs', () => {
  it('are whole: each begins with what it imports', () => {
    expect(examples.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['contracts 2', 'client 6', 'conformance 1']),
    );
    for (const { code } of examples) expect(code).toMatch(/^import /);
  });

  it('compile', () => {
    const files = examples.map(({ code }, index) => {
      const file = join(folder, `example-${index}.ts`);
      writeFileSync(file, code);
      return file;
    });
    expect(errorsIn(folder, files, { ...platforms['Node'], skipLibCheck: true })).toEqual([]);
  });

  it('do what the client says: the first time the slot is free, and then it is held', async () => {
    const [example] = examplesOf('client');
    expect(await whatPrints(example!)).toEqual([expect.stringMatching(/^[\w-]{36}$/), 'Ada']);
    expect(await whatPrints(example!)).toEqual(['held from 2026-12-01T09:00:00.000Z', 'Ada']);
  });

  it.each(examples.filter(({ name }) => name !== 'client 1'))(
    'print what they say: $name',
    async (example) => {
      expect(await whatPrints(example)).toEqual(promisedBy(example.code));
    },
    60_000,
  );

  it('say something to print in at least four places', () => {
    expect(examples.flatMap(({ code }) => promisedBy(code)).length).toBeGreaterThanOrEqual(4);
  });
});
