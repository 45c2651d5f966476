/**
 * Writes the built service, and the packages of the lockfile that it needs, to a folder: `pnpm bundle [folder]`. There,
 * `node dist/main.js` starts it on any machine. `THIRD-PARTY.md` lists the packages and their licenses.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pnpmCommand } from '../tools/turbo.js';

const workspace = join(import.meta.dirname, '..');
const { positionals } = parseArgs({ allowPositionals: true });
const folder = resolve(process.env['INIT_CWD'] ?? process.cwd(), positionals[0] ?? 'bundle');

mkdirSync(folder, { recursive: true });
if (readdirSync(folder).length > 0) {
  process.stderr.write(`${folder} is not empty. Choose a folder that is empty or does not exist yet.\n`);
  process.exit(1);
}
copyService();
removeDeclarations();
copyFileSync(join(import.meta.dirname, 'create-roles.sql'), join(folder, 'create-roles.sql'));
writeFileSync(join(folder, 'THIRD-PARTY.md'), thirdParty());
process.stdout.write(`Start it with: node ${join(folder, 'dist/main.js')}\n`);

/** Copies the service and the packages that it needs. */
function copyService() {
  pnpm([
    // The lockfile is ignored without this setting.
    '--config.inject-workspace-packages=true',
    // Links would let a change of the bundle change pnpm's store.
    '--config.package-import-method=copy',
    '--filter=api',
    'deploy',
    '--prod',
    '--prefer-offline',
    folder,
  ]);
}

/** Removes types and source maps, which no running program reads, from the packages. */
function removeDeclarations() {
  const packages = join(folder, 'node_modules');
  for (const file of readdirSync(packages, { recursive: true, encoding: 'utf8' })) {
    if (/\.(?:map|d\.[cm]?ts)$/.test(file)) rmSync(join(packages, file), { force: true });
  }
}

/** The packages of the bundle, as Markdown. */
function thirdParty() {
  /** @type {Record<string, { name: string, versions: string[], license: string }[]>} */
  const byLicense = JSON.parse(pnpm(['--filter=api...', 'licenses', 'list', '--prod', '--json']));
  const rows = Object.values(byLicense)
    .flat()
    .flatMap(({ name, versions, license }) => versions.map((version) => `| ${name} | ${version} | ${license} |\n`))
    .toSorted();
  return `# Packages in this bundle

The text of each license is in the package's folder below \`node_modules\`, or, where its author left it out, on
<https://spdx.org/licenses>.

| Package | Version | License |
| --- | --- | --- |
${rows.join('')}`;
}

/**
 * Runs pnpm in the workspace.
 *
 * @param {readonly string[]} args
 * @returns {string} its standard output
 */
function pnpm(args) {
  const [program = '', ...first] = pnpmCommand;
  return execFileSync(program, [...first, ...args], {
    cwd: workspace,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: Infinity,
  });
}
