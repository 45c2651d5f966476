import { execFileSync } from 'node:child_process';
import { CONTRACTS } from './contracts.js';

/** A commit to compare with, and how it was found. */
export interface Base {
  commit: string;
  name: string;
}

/** The tags of releases, as Changesets writes them. */
const RELEASES = `${CONTRACTS}@*`;

/**
 * The commit that consumers may rely on: where this branch left `given`; without it, where this branch left the
 * default branch of `origin`; on that branch itself, the last release.
 *
 * @param given a git ref; empty or all zeros, which is how GitHub writes "no commit", is not given
 * @returns undefined where there is neither
 * @throws Error when `given` is no commit of this repository, and where git does not work
 */
export function findBase(given = ''): Base | undefined {
  if (git('rev-parse', '--verify', 'HEAD') === undefined) throw new Error('git finds no commit here');
  if (!/^0*$/.test(given)) {
    const commit = git('rev-parse', '--verify', '--quiet', `${given}^{commit}`);
    if (commit === undefined) throw new Error(`${given} is no commit of this repository`);
    return { commit: git('merge-base', 'HEAD', commit) ?? commit, name: given };
  }
  const branch = defaultBranch();
  const fork = branch && git('merge-base', 'HEAD', branch);
  if (branch !== undefined && fork !== undefined && fork !== git('rev-parse', 'HEAD'))
    return { commit: fork, name: branch };
  const release = git('describe', '--tags', '--abbrev=0', `--match=${RELEASES}`);
  return release === undefined ? undefined : { commit: git('rev-parse', `${release}^{commit}`)!, name: release };
}

function defaultBranch(): string | undefined {
  const candidates = ['origin/HEAD', 'origin/main', 'origin/master'];
  return candidates.find((name) => git('rev-parse', '--verify', '--quiet', `refs/remotes/${name}`) !== undefined);
}

/** A file as it was; undefined if there was none. */
export function readAt({ commit }: Base, path: string): string | undefined {
  return git('show', `${commit}:${path}`);
}

/** What git prints; undefined where it fails. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
