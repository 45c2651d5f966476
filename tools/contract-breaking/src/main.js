/**
 * Says what of the committed OpenAPI document breaks consumers, compared with the document of an older commit. Exits
 * with 1 where there is a break that no changeset announces, and with 2 where the documents cannot be compared.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import readChangesets from '@changesets/read';
import { CONTRACTS, findBase, readAt } from './base.js';
import { breakingChanges } from './breaking-changes.js';

const MANIFEST = 'packages/contracts/package.json';
const DOCUMENT = 'packages/contracts/openapi.json';

/** @param {string} manifest */
const versionIn = (manifest) => /** @type {{ version: string }} */ (JSON.parse(manifest)).version;

/**
 * What to print, and the exit code.
 * @param {string | undefined} given
 * @returns {Promise<[code: number, ...lines: string[]]>}
 */
async function check(given) {
  const base = findBase(given);
  if (base === undefined) {
    return [
      0,
      `Nothing to compare ${DOCUMENT} with: origin has no main branch that this one left, and there is no release. Name a commit with --base.`,
    ];
  }
  const since = `${base.name} (${base.commit.slice(0, 12)})`;
  const [document, manifest] = [readAt(base, DOCUMENT), readAt(base, MANIFEST)];
  if (document === undefined || manifest === undefined)
    return [0, `Nothing to compare with: there is no ${DOCUMENT} in ${since}.`];
  const changes = await breakingChanges(document, readFileSync(DOCUMENT, 'utf8'));
  if (changes.length === 0) return [0, `${DOCUMENT} breaks nothing that it said in ${since}.`];
  const lines = [`${DOCUMENT} breaks what it said in ${since}:`, ...changes.map((change) => `- ${change}`)];
  const version = versionIn(manifest);
  const permission = await findPermission(base, version, versionIn(readFileSync(MANIFEST, 'utf8')));
  if (permission !== undefined) return [0, ...lines, `This is announced by ${permission}.`];
  return [1, ...lines, `Undo it, or run \`pnpm changeset\` for a ${breakingBumps(version)[0]} bump of ${CONTRACTS}.`];
}

/**
 * The bumps that announce a break. Before 1.0 a minor one does (semver.org, 4; `^0.1` takes no 0.2).
 * @param {string} version
 */
const breakingBumps = (version) => (version.startsWith('0.') ? ['minor', 'major'] : ['major']);

/**
 * What permits a break since `base`: a changeset that was added since, or the version that such a changeset led to.
 *
 * @param {import('./base.js').Base} base
 * @param {string} before the version of the contracts then
 * @param {string} now
 * @returns its name in a message; undefined if there is none
 */
async function findPermission(base, before, now) {
  // The part of a version that a breaking bump raises: 0.1 of 0.1.2, 1 of 1.2.3.
  const series = (/** @type {string} */ version) => /^(?:0\.)?\d+/.exec(version)?.[0];
  if (series(before) !== series(now)) return `version ${now}, after ${before}`;
  const bumps = breakingBumps(before);
  const changesets = await readChangesets(process.cwd());
  return changesets
    .filter(({ releases }) => releases.some(({ name, type }) => name === CONTRACTS && bumps.includes(type)))
    .map(({ id }) => `.changeset/${id}.md`)
    .find((path) => readAt(base, path) === undefined);
}

try {
  const { values } = parseArgs({ options: { base: { type: 'string' } } });
  const [code, ...lines] = await check(values.base ?? process.env['CONTRACT_BASE']);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = code;
} catch (error) {
  process.stderr.write(`The contracts cannot be compared: ${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 2;
}
