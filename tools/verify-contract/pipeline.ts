import { execFileSync } from 'node:child_process';
import { UsageError } from './options.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws UsageError outside a git repository */
export function commit(): string {
  const found = git('rev-parse', 'HEAD');
  if (found === '') throw new UsageError('There is no commit here: give --provider-version.');
  return found;
}

/**
 * The branch that git is on or, in a pipeline that checks out a commit, the one that the pipeline names.
 *
 * @throws UsageError if there is neither
 */
export function branch(env: Environment): string {
  const found =
    git('branch', '--show-current') || env['GITHUB_HEAD_REF'] || env['GITHUB_REF_NAME'] || env['CI_COMMIT_REF_NAME'];
  if (!found) throw new UsageError('The branch is not known here: give --provider-branch.');
  return found;
}

/** The URL of the pipeline's run on GitHub or GitLab. */
export function buildUrl(env: Environment): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  if (server && repository && run) return `${server}/${repository}/actions/runs/${run}`;
  return env['CI_JOB_URL'];
}

/** @returns standard output; empty if git fails */
function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
