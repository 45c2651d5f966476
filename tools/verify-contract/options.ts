import { parseArgs } from 'node:util';

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

/** A mistake on the command line; the usage is printed with it. */
export class UsageError extends Error {}

export interface Options {
  /** A pact file, or the URL of a pact (HTTP or HTTPS); without one, the broker is asked which pacts matter. */
  readonly pact: string | undefined;
  readonly isUrl: boolean;
  readonly help: boolean;
  readonly publish: boolean;
  readonly version: string | undefined;
  readonly branch: string | undefined;
}

/** @throws UsageError */
export function optionsOf(args: readonly string[]): Options {
  const { values, positionals } = parsed(args);
  const { help = false, publish = false } = values;
  if (positionals.length > 1) throw new UsageError('Give one FILE or URL.');
  const pact = positionals[0];
  const isUrl = pact !== undefined && isHttp(pact);
  if (publish && pact !== undefined && !isUrl) {
    throw new UsageError('The result of a FILE cannot be published: it is in no broker.');
  }
  return { pact, isUrl, help, publish, version: values['provider-version'], branch: values['provider-branch'] };
}

export function isHttp(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        publish: { type: 'boolean' },
        'provider-version': { type: 'string' },
        'provider-branch': { type: 'string' },
      },
    });
  } catch (error) {
    // The rest of Node's message is about arguments that begin with a dash.
    throw new UsageError(`${(error as Error).message.split('. ', 1)[0]}.`);
  }
}
