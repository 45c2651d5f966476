import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** What a service under MIT may bring along without duties beyond keeping the notices, which the bundle does. */
const ALLOWED = new Set(['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0']);
const PUBLISHED = ['api', '@booking-service/contracts', '@booking-service/client'];

export const LICENSES_FILE = 'docs/licenses.md';

/** @typedef {{ name: string, version: string, license: string }} RuntimePackage */

/** @returns {RuntimePackage[]} Every package that runs, dependencies of dependencies included, by name. */
export function runtimePackages() {
  const filters = PUBLISHED.map((name) => `--filter=${name}`);
  const listed = execFileSync('pnpm', [...filters, 'licenses', 'list', '--prod', '--json'], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
  });
  /** @type {Record<string, { name: string, versions: string[], license: string }[]>} */
  const byLicense = JSON.parse(listed);
  return Object.values(byLicense)
    .flat()
    .flatMap(({ name, versions, license }) => versions.map((version) => ({ name, version, license })))
    .toSorted((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** @param {RuntimePackage[]} packages */
export function notAllowed(packages) {
  return packages.filter(({ license }) => !ALLOWED.has(license));
}

/** @param {RuntimePackage[]} packages */
export function licensesDocument(packages) {
  const rows = packages.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`);
  return `# Licences of what runs

Every package that the service, the contracts and the client bring along when they run. \`pnpm licenses:write\` writes
this file; a test fails while it is not what is installed. Each package's own notice lies in its folder of the bundle.

| Package | Version | Licence |
| --- | --- | --- |
${rows.join('\n')}
`;
}
