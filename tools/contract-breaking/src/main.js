/**
 * Says what of the committed OpenAPI document breaks consumers, compared with that of an older commit. Exits with 1
 * where there is a break that no new changeset announces, and with 2 where the documents cannot be compared.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import readChangesets from '@changesets/read';
import { breakingChanges } from './breaking-changes.js';

const DOCUMENT = 'packages/contracts/openapi.json';
/** The package that consumers rely on. */
const CONTRACTS = '@booking-service/contracts';

/**
 * Returns the exit code, and the lines to print.
 * @param {string} base the commit that consumers may rely on
 * @returns {Promise<[code: number, ...lines: string[]]>}
 */
async function check(base) {
  const changes = await breakingChanges(git('show', `${base}:${DOCUMENT}`), readFileSync(DOCUMENT, 'utf8'));
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
  const older = git('ls-tree', '--name-only', base, '.changeset/').split('\n');
  const changesets = await readChangesets(process.cwd());
  return changesets
    .filter(({ releases }) => releases.some(({ name, type }) => name === CONTRACTS && /minor|major/.test(type)))
    .map(({ id }) => `.changeset/${id}.md`)
    .find((path) => !older.includes(path));
}

/**
 * Runs git, and returns its output.
 * @param {string[]} args
 * @throws {Error} with what git says where it fails
 */
function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
}

try {
  const { values } = parseArgs({ options: { base: { type: 'string' } } });
  const given = values.base ?? process.env['CONTRACT_BASE'] ?? '';
  // All zeros is GitHub's "no commit".
  const branch = /^0*$/.test(given) ? 'origin/main' : given;
  const [code, ...lines] = await check(git('merge-base', 'HEAD', branch));
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = code;
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  process.stderr.write(`The contracts cannot be compared: ${message.trim()}\nName a commit with --base.\n`);
  process.exitCode = 2;
}
