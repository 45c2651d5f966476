/**
 * Says what of the committed OpenAPI document breaks consumers, compared with that of an older commit. Exits with 1
 * where there is a break that no new changeset announces, and with 2 where the documents cannot be compared.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import readChangesets from '@changesets/read';
import { CONTRACTS, findBase, readAt } from './base.js';
import { breakingChanges } from './breaking-changes.js';

const DOCUMENT = 'packages/contracts/openapi.json';

/**
 * What to print, and the exit code.
 * @param {string | undefined} given
 * @returns {Promise<[code: number, ...lines: string[]]>}
 */
async function check(given) {
  const base = findBase(given);
  const before = base && readAt(base, DOCUMENT);
  if (!base || !before) return [0, `Nothing to compare ${DOCUMENT} with. Name a commit with --base.`];
  const changes = await breakingChanges(before, readFileSync(DOCUMENT, 'utf8'));
  if (changes.length === 0) return [0, `${DOCUMENT} breaks nothing that it said in ${base}.`];
  const lines = [`${DOCUMENT} breaks what it said in ${base}:`, ...changes.map((change) => `- ${change}`)];
  const announcement = await findAnnouncement(base);
  if (announcement !== undefined) return [0, ...lines, `This is announced by ${announcement}.`];
  return [1, ...lines, `Undo it, or run \`pnpm changeset\` for a minor bump of ${CONTRACTS}.`];
}

/**
 * A changeset with a bump of the contracts that breaks, which was added since `base`. Before 1.0 a minor one does
 * (semver.org, 4).
 * @param {string} base
 */
async function findAnnouncement(base) {
  const changesets = await readChangesets(process.cwd());
  return changesets
    .filter(({ releases }) => releases.some(({ name, type }) => name === CONTRACTS && /minor|major/.test(type)))
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
