import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a copy does without; packages find each other by links, and others by those to the root's `node_modules`. */
const LEFT_OUT = new Set(['.git', '.turbo', '.postgres', 'pacts', 'coverage']);

/** Where a package's source is compiled to. */
const COMPILED = { 'apps/api/src/': 'apps/api/build/', 'packages/contracts/src/': 'packages/contracts/dist/' };

/** A copy of the repository, built as it was, in which one file at a time is changed. */
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
   * Changes a file, and compiles it alone.
   *
   * @param mutation `from` stands in the file exactly once
   * @returns a function that puts everything back
   * @throws Error where it does not
   */
  apply({ name, file, from, to }) {
    const source = readFileSync(join(this.path, file), 'utf8');
    const places = source.split(from).length - 1;
    if (places !== 1) throw new Error(`${name}: its \`from\` stands ${places} times in ${file}, not once`);
    const changed = source.replace(from, () => to);
    const restore = [this.#write(file, changed)];
    const compiled = compiledFile(file);
    if (compiled !== undefined) restore.push(this.#write(compiled, this.#compile(file, changed)));
    return () => restore.forEach((put) => put());
  }

  remove() {
    rmSync(this.path, { recursive: true, force: true });
  }

  #write(file, text) {
    const path = join(this.path, file);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, text);
    return () => writeFileSync(path, before);
  }

  #compile(file, source) {
    const config = join(this.path, file.split('/src/')[0], 'tsconfig.build.json');
    const { config: json } = ts.readConfigFile(config, (path) => readFileSync(path, 'utf8'));
    const { options } = ts.parseJsonConfigFileContent(json, ts.sys, join(config, '..'));
    const { outputText, diagnostics } = ts.transpileModule(source, {
      // A single file does not show that its package consists of ES modules.
      compilerOptions: {
        ...options,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        sourceMap: false,
      },
      fileName: join(this.path, file),
      reportDiagnostics: true,
    });
    if (diagnostics.length > 0)
      throw new Error(`${file} does not compile: ${ts.flattenDiagnosticMessageText(diagnostics[0].messageText, ' ')}`);
    return outputText;
  }
}

function compiledFile(file) {
  const [source, target] = Object.entries(COMPILED).find(([folder]) => file.startsWith(folder)) ?? [];
  return source && target + file.slice(source.length).replace(/\.ts$/, '.js');
}
