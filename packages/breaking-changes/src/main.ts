/**
 * Says what of the committed OpenAPI document breaks consumers, compared with the document of an older commit. It
 * exits with 1 where there is a break that no changeset announces, and with 2 where it cannot tell.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findBase, readAt } from './base.js';
import { CONTRACTS, DOCUMENT, MANIFEST } from './contracts.js';
import { breakingChanges } from './document-changes.js';
import { breakingBumps, findPermission } from './permission.js';
import type { Json } from './references.js';

const parse = (text: string) => JSON.parse(text) as Json;
const versionIn = (manifest: string) => String(parse(manifest)['version']);

/** What to print, and the exit code. */
async function check(given: string | undefined): Promise<[code: number, ...lines: string[]]> {
  const base = findBase(given);
  if (base === undefined) {
    return [
      0,
      `Nothing to compare ${DOCUMENT} with: no branch of origin that this one left, no release. Name a commit with --base.`,
    ];
  }
  const since = `${base.name} (${base.commit.slice(0, 12)})`;
  const document = readAt(base, DOCUMENT);
  const manifest = readAt(base, MANIFEST);
  if (document === undefined || manifest === undefined)
    return [0, `Nothing to compare with: no ${DOCUMENT} in ${since}.`];
  const changes = breakingChanges(parse(document), parse(readFileSync(DOCUMENT, 'utf8')));
  if (changes.length === 0) return [0, `Nothing in ${DOCUMENT} breaks what it said in ${since}.`];
  const was = versionIn(manifest);
  const permission = await findPermission(base, was, versionIn(readFileSync(MANIFEST, 'utf8')));
  const lines = [`${DOCUMENT} breaks what it said in ${since}:`, ...changes.map((change) => `- ${change}`)];
  if (permission !== undefined) return [0, ...lines, `That is announced by ${permission}.`];
  const bump = breakingBumps(was)[0];
  return [1, ...lines, `Take it back, or announce it: \`pnpm changeset\`, a ${bump} bump of ${CONTRACTS}.`];
}

try {
  const { values } = parseArgs({ options: { base: { type: 'string' } } });
  const [code, ...lines] = await check(values.base ?? process.env['CONTRACT_BASE']);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = code;
} catch (error) {
  process.stderr.write(`The contract cannot be compared: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
