import readChangesets from '@changesets/read';
import { major, minor } from 'semver';
import { type Base, readAt } from './base.js';
import { CONTRACTS } from './contracts.js';

/** The bumps that tell consumers of a break. Before 1.0 a new minor version does (semver.org, 4; `^0.1` takes no 0.2). */
export function breakingBumps(version: string): string[] {
  return major(version) === 0 ? ['minor', 'major'] : ['major'];
}

/**
 * What permits a break since `base`: a changeset that was added since, or a version that such a changeset led to.
 *
 * @param was the version of the contracts then
 * @param is the version now
 * @returns as a message names it; undefined if nothing does
 */
export async function findPermission(base: Base, was: string, is: string): Promise<string | undefined> {
  if (major(is) > major(was) || (major(was) === 0 && minor(is) > minor(was))) return `version ${is}, after ${was}`;
  const bumps = breakingBumps(was);
  const changesets = await readChangesets(process.cwd());
  return changesets
    .filter(({ releases }) => releases.some(({ name, type }) => name === CONTRACTS && bumps.includes(type)))
    .map(({ id }) => `.changeset/${id}.md`)
    .find((path) => readAt(base, path) === undefined);
}
