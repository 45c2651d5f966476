/**
 * What a browser loads of a module: `node bundle.js FOLDER SPECIFIER` bundles all that the module exports, as
 * it is found from the folder. It prints `gzipped`, the bytes of the minified code after gzip, and `packages`,
 * the npm packages that code of came along. A program, because Vite's bundler does not run inside jest.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const [folder, specifier] = process.argv.slice(2);
const root = mkdtempSync(join(folder, 'bundle-'));
const entry = join(root, 'entry.js');
writeFileSync(entry, `export * from '${specifier}';\n`);
const { output } = await build({
  root,
  configFile: false,
  logLevel: 'warn',
  build: {
    write: false,
    modulePreload: false,
    rolldownOptions: { input: entry, preserveEntrySignatures: 'strict' },
  },
});
const chunks = output.filter(({ type }) => type === 'chunk');
const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
const packages = modules.flatMap((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []);
const gzipped = chunks.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
process.stdout.write(JSON.stringify({ gzipped, packages: [...new Set(packages)] }));
