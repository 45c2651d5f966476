import { parseArgs } from 'node:util';
import type { ServiceUnderContract } from './service-under-contract.js';

export const USAGE = `Verifies the built service, on an embedded PostgreSQL, against contracts (docs/contracts.md).

  pnpm verify-contract FILE     a pact file
  pnpm verify-contract URL      one pact of a Pact Broker, as its webhook names it
  pnpm verify-contract          the pacts of a Pact Broker that matter to this branch

Options, for a broker:
  --publish                     publishes the results
  --provider-version VERSION    the version of the service, by default the commit
  --provider-branch BRANCH      its branch, by default that of git or, without one, GITHUB_HEAD_REF, GITHUB_REF_NAME
                                or CI_COMMIT_REF_NAME
  --help                        prints this

Variables: PACT_BROKER_BASE_URL, and PACT_BROKER_TOKEN or PACT_BROKER_USERNAME with PACT_BROKER_PASSWORD
Exit codes: 0 kept, 1 broken, 2 not verified or not published
`;

export type Environment = Readonly<Record<string, string | undefined>>;
type Output = Pick<NodeJS.WritableStream, 'write'>;

/** What verification takes from its process: variables, output, and a service. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Runs a service while `use` is under way. */
  readonly withService: <Result>(use: (service: ServiceUnderContract) => Promise<Result>) => Promise<Result>;
}

export interface Options {
  readonly help: boolean;
  /** A pact file. */
  readonly file: string | undefined;
  /** One pact of a broker. With neither a file nor a URL, the broker is asked which pacts matter. */
  readonly url: string | undefined;
  readonly publish: boolean;
  readonly version: string | undefined;
  readonly branch: string | undefined;
}

export function optionsOf(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      publish: { type: 'boolean' },
      'provider-version': { type: 'string' },
      'provider-branch': { type: 'string' },
    },
  });
  if (positionals.length > 1) throw new Error('Give one FILE or URL.');
  const { help = false, publish = false, 'provider-version': version, 'provider-branch': branch } = values;
  const [pact] = positionals;
  const isUrl = pact !== undefined && isHttp(pact);
  const file = isUrl ? undefined : pact;
  if (publish && file !== undefined) throw new Error('The result of a FILE cannot be published: it is in no broker.');
  return { help, file, url: isUrl ? pact : undefined, publish, version, branch };
}

export function isHttp(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
