import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { installed, packages, type PackageName, project, run, serviceUrl } from './support/consumer.js';
import { errorsIn, platforms } from './support/types.js';

const folder = project('node-esm');

/** The examples of a README that are whole programs, against the service of these tests. */
function examplesOf(name: PackageName): string[] {
  const readme = readFileSync(join(installed(name), 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```ts\n(import .*?)```/gs)].map(([, code]) => code!);
  return blocks.map((code) => code.replaceAll('http://localhost:3000', serviceUrl));
}

async function whatPrints(code: string): Promise<string> {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  writeFileSync(join(folder, 'example.js'), ts.transpileModule(code, { compilerOptions }).outputText);
  return (await run(['example.js'], folder)).printed;
}

describe('The examples of the READMEs', () => {
  it('compile', () => {
    const files = packages.flatMap(examplesOf).map((code, index) => {
      const file = join(folder, `example-${index}.ts`);
      writeFileSync(file, code);
      return file;
    });
    expect(files).toHaveLength(3);
    expect(errorsIn(folder, files, { ...platforms['Node'], skipLibCheck: true })).toEqual([]);
  });

  it('do what the client says: the first time the slot is free, and then it is held', async () => {
    const [example] = examplesOf('client');
    expect(await whatPrints(example!)).toMatch(/^[\w-]{36}\nAda\n$/);
    expect(await whatPrints(example!)).toBe('held from 2026-12-01T09:00:00.000Z\nAda\n');
  });

  it('find the faults that the contracts say', async () => {
    const [, example] = examplesOf('contracts');
    const comments = [...example!.matchAll(/^ *\/\/ (#.*\n)/gm)].map(([, line]) => line);
    expect(comments).toHaveLength(2);
    expect(await whatPrints(example!)).toBe(comments.join(''));
  });
});
