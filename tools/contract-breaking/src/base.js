import { execFileSync } from 'node:child_process';

/** The package that consumers rely on. Changesets tags its releases `NAME@VERSION`. */
export const CONTRACTS = '@booking-service/contracts';

/**
 * The commit that consumers may rely on: where this branch left `given`, or else `origin/main`; on that branch itself,
 * the last release.
 *
 * @param {string} given a git ref; empty or all zeros (GitHub's "no commit") is not given
 * @returns {string | undefined} undefined where there is neither
 * @throws {Error} when `given` is no commit of this repository
 */
export function findBase(given = '') {
  if (!/^0*$/.test(given)) {
    const fork = git('merge-base', 'HEAD', given);
    if (fork === undefined) throw new Error(`${given} is no commit of this repository`);
    return fork;
  }
  const fork = git('merge-base', 'HEAD', 'origin/main');
  if (fork !== undefined && fork !== git('rev-parse', 'HEAD')) return fork;
  const release = git('describe', '--tags', '--abbrev=0', `--match=${CONTRACTS}@*`);
  return release && git('rev-parse', `${release}^{commit}`);
}

/**
 * A file as it was; undefined if there was none.
 * @param {string} commit
 * @param {string} path
 */
export function readAt(commit, path) {
  return git('show', `${commit}:${path}`);
}

/**
 * What git prints; undefined where it fails.
 * @param {string[]} args
 */
function git(...args) {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
