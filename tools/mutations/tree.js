import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Packages find each other by links inside the copy, and others by those to the root's `node_modules`. */
const LEFT_OUT = new Set(['.git', '.turbo', '.postgres', 'pacts', 'coverage']);

/** @returns the folder of a copy of the built repository */
export function copyRepository() {
  const tree = mkdtempSync(join(tmpdir(), 'mutations-'));
  cpSync(root, tree, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (from) => !LEFT_OUT.has(basename(from)) && from !== join(root, 'node_modules'),
  });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

/** Changes a file of the copy and compiles its package. @returns a function that puts the file back */
export function mutate(tree, [, file, find, replace]) {
  const source = readFileSync(join(tree, file), 'utf8');
  const write = (text) => {
    writeFileSync(join(tree, file), text);
    const [folder, isSource] = file.split('/src/');
    // An error of types is left to the tests: the compiler writes its output all the same.
    if (isSource !== undefined)
      spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], { cwd: join(tree, folder) });
  };
  write(source.replace(find, () => replace));
  return () => write(source);
}
