/**
 * `node ../../tools/build-package.js [FILE]…`, in the folder of a package: compiles `src` to `dist`, as ES modules and
 * as CommonJS, and copies files of another package's `dist`, and their counterparts in its `dist/cjs`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const TSC = 'node_modules/typescript/bin/tsc';

rmSync('dist', { recursive: true, force: true });
compile();
const COMMON_JS = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'];
compile('--outDir', 'dist/cjs', ...COMMON_JS);
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
for (const file of process.argv.slice(2)) {
  copyFileSync(file, join('dist', basename(file)));
  copyFileSync(join(dirname(file), 'cjs', basename(file)), join('dist/cjs', basename(file)));
}

function compile(...options) {
  const { status } = spawnSync(process.execPath, [TSC, '-p', 'tsconfig.build.json', ...options], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
