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
const deploy = [
  // Without it, `deploy` ignores the lockfile.
  '--config.inject-workspace-packages=true',
  // Changing a file of the bundle must not change pnpm's store.
  '--config.package-import-method=copy',
  '--filter=api',
  'deploy',
  '--prod',
  '--offline',
  folder,
];
const [pnpm = '', ...script] = pnpmCommand;
execFileSync(pnpm, [...script, ...deploy], { cwd: workspace, stdio: ['ignore', 'ignore', 'inherit'] });
for (const file of readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' })) {
  if (/\.(?:map|d\.[cm]?ts)$/.test(file)) rmSync(join(folder, 'node_modules', file), { force: true });
}
copyFileSync(join(import.meta.dirname, 'create-roles.sql'), join(folder, 'create-roles.sql'));
writeFileSync(join(folder, 'THIRD-PARTY.md'), thirdParty());
process.stdout.write(`Start it with: node ${join(folder, 'dist/main.js')}\n`);

/** The packages of the bundle, as Markdown. */
function thirdParty() {
  const list = ['--filter=api...', 'licenses', 'list', '--prod', '--json'];
  /** @type {Record<string, { name: string, versions: string[], license: string }[]>} */
  const byLicense = JSON.parse(execFileSync(pnpm, [...script, ...list], { cwd: workspace, encoding: 'utf8' }));
  const rows = Object.values(byLicense)
    .flat()
    .flatMap(({ name, versions, license }) => versions.map((version) => `| ${name} | ${version} | ${license} |\n`))
    .toSorted();
  return `# Packages in this bundle

The text of each licence is in the package's folder below \`node_modules\`.

| Package | Version | License |
| --- | --- | --- |
${rows.join('')}`;
}
