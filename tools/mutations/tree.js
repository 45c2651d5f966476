import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Packages find each other by links inside the copy, and others by those to the root's `node_modules`. */
const LEFT_OUT = new Set(['.git', '.turbo', '.postgres', 'pacts', 'coverage']);

/** A copy of the built repository, in which one file at a time is changed. */
export class Tree {
  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'mutations-'));
    cpSync(root, this.path, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => !LEFT_OUT.has(basename(from)) && from !== join(root, 'node_modules'),
    });
    symlinkSync(join(root, 'node_modules'), join(this.path, 'node_modules'));
  }

  /**
   * Changes a file and compiles its package.
   *
   * @returns whether it compiles without an error, and a function that puts the file back
   */
  apply([, file, find, replace]) {
    const path = join(this.path, file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      source.replace(find, () => replace),
    );
    const restore = () => {
      writeFileSync(path, source);
      this.#compile(file);
    };
    return { compiles: this.#compile(file), restore };
  }

  remove() {
    rmSync(this.path, { recursive: true, force: true });
  }

  #compile(file) {
    const [folder, isSource] = file.split('/src/');
    if (isSource === undefined) return true;
    try {
      execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
        cwd: join(this.path, folder),
        stdio: 'ignore',
      });
      return true;
    } catch {
      return false;
    }
  }
}

/** @throws Error that names each row whose text does not stand in its file exactly once */
export function checkRows(rows) {
  const faults = rows.flatMap(([id, file, find]) => {
    const count = textOf(file).split(find).length - 1;
    return count === 1 ? [] : [`${id}: its text is found ${count} times in ${file}, not once: ${find}`];
  });
  if (faults.length > 0) throw new Error(`Correct these rows in tools/mutations/rows.jsonl:\n${faults.join('\n')}`);
}

export function textOf(file) {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return '';
  }
}
