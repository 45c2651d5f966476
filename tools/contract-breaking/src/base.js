import { execFileSync } from 'node:child_process';

/** The package that consumers rely on. Changesets tags its releases `NAME@VERSION`. */
export const CONTRACTS = '@booking-service/contracts';

/** @typedef {{ commit: string, name: string }} Base a commit to compare with, and how it was found */

/**
 * The commit that consumers may rely on: where this branch left `given`; without it, where this branch left the
 * default branch of `origin`; on that branch itself, the last release.
 *
 * @param {string} given a git ref; empty or all zeros (GitHub's "no commit") is not given
 * @returns {Base | undefined} undefined where there is neither
 * @throws {Error} when `given` is no commit of this repository, and where git does not work
 */
export function findBase(given = '') {
  const head = git('rev-parse', '--verify', 'HEAD');
  if (head === undefined) throw new Error('git finds no commit here');
  if (!/^0*$/.test(given)) {
    const commit = git('rev-parse', '--verify', '--quiet', `${given}^{commit}`);
    if (commit === undefined) throw new Error(`${given} is no commit of this repository`);
    return { commit: git('merge-base', 'HEAD', commit) ?? commit, name: given };
  }
  const branch = ['origin/HEAD', 'origin/main', 'origin/master'].find((name) =>
    git('rev-parse', '--verify', '--quiet', `refs/remotes/${name}`),
  );
  const fork = branch && git('merge-base', 'HEAD', branch);
  if (branch && fork && fork !== head) return { commit: fork, name: branch };
  const release = git('describe', '--tags', '--abbrev=0', `--match=${CONTRACTS}@*`);
  const commit = release && git('rev-parse', `${release}^{commit}`);
  return release && commit ? { commit, name: release } : undefined;
}

/**
 * A file as it was; undefined if there was none.
 * @param {Base} base
 * @param {string} path
 */
export function readAt({ commit }, path) {
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
