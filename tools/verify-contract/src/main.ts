/**
 * `pnpm verify-contract FILE`, or with the file in `PACT_URL`: verifies the built service against one contract, with
 * bookings in memory, or in an embedded PostgreSQL where the contract is about events. Exit codes: 0 it is kept, 1 it is
 * broken, 2 it was not verified.
 */
import { resolve } from 'node:path';
import { BookingsProcess } from './bookings-process.js';
import { readContract, providers } from './contract.js';
import { EmptyDatabases } from './empty-databases.js';
import { EventsProcess } from './events-process.js';
import { ReportServer } from './report.js';
import { verdictOn } from './verdict.js';
import { runVerifier } from './verification.js';

const EXIT = { kept: 0, broken: 1, 'not verified': 2 };

async function verify(given: string): Promise<number> {
  // pnpm runs this from the root of the repository, whatever the folder that it was called in.
  const path = resolve(process.env['INIT_CWD'] ?? process.cwd(), given);
  const contract = readContract(path);
  const databases = contract.provider === providers.events ? await EmptyDatabases.start() : undefined;
  const provider = await (databases === undefined
    ? BookingsProcess.start()
    : EventsProcess.start({ createDatabase: databases.create }));
  const report = await ReportServer.start(contract);
  try {
    const options = { provider: contract.provider, providerBaseUrl: provider.url, ...report.options };
    const message = provider instanceof EventsProcess ? provider.event : undefined;
    const verification = await runVerifier(options, provider.stateHandlers, message);
    const { outcome, lines } = verdictOn(contract, verification, report.results);
    process.stdout.write(`${lines.join('\n')}\n`);
    return EXIT[outcome];
  } finally {
    report.stop();
    await provider.stop();
    await databases?.stop();
  }
}

const [given = process.env['PACT_URL'], ...more] = process.argv.slice(2);
try {
  if (!given || more.length > 0) throw new TypeError('Give one pact file: pnpm verify-contract FILE');
  process.exitCode = await verify(given);
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = EXIT['not verified'];
}
