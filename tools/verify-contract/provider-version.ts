import { execFileSync } from 'node:child_process';
import type { Environment, Options } from './options.js';

/** The version of the service for which results are published. */
export interface ProviderVersion {
  readonly version: string;
  readonly branch: string;
  /** The URL of the pipeline's run on GitHub or GitLab. */
  readonly buildUrl: string | undefined;
}

/** @throws Error if the options name no version and there is no commit, or no branch is known */
export function versionOf(options: Options, env: Environment): ProviderVersion {
  const version = options.version || git('rev-parse', 'HEAD');
  if (version === '') throw new Error('There is no commit here: give --provider-version.');
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  const buildUrl = run ? `${server}/${repository}/actions/runs/${run}` : env['CI_JOB_URL'] || undefined;
  return { version, branch: branchOf(options, env), buildUrl };
}

/**
 * The branch that the options name, that git is on or, in a pipeline that checks out a commit, the pipeline's.
 *
 * @throws Error if there is none
 */
export function branchOf(options: Options, env: Environment): string {
  const ofPipeline = env['GITHUB_HEAD_REF'] || env['GITHUB_REF_NAME'] || env['CI_COMMIT_REF_NAME'];
  const branch = options.branch || git('branch', '--show-current') || ofPipeline;
  if (!branch) throw new Error('The branch is not known here: give --provider-branch.');
  return branch;
}

/** @returns standard output; empty if git fails */
function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
