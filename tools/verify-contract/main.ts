/** `pnpm verify-contract`, with the built service on an embedded PostgreSQL. */
import startPostgres, { stopPostgres } from 'testing/global-setup';
import { verifyContracts } from './command.js';
import { ServiceUnderContract } from './service-under-contract.js';

/** Variables that Pact's verifier would read: a broker, and filters for interactions. */
const FILTERS = /^PACT_(?:BROKER_|DESCRIPTION$|PROVIDER_)/;

const { argv, stdout, stderr } = process;
const env = { ...process.env };
for (const name of Object.keys(env)) if (FILTERS.test(name)) delete process.env[name];
process.exitCode = await verifyContracts(argv.slice(2), { env, stdout, stderr, withService });

async function withService<Result>(use: (service: ServiceUnderContract) => Promise<Result>): Promise<Result> {
  await startPostgres();
  try {
    const service = await ServiceUnderContract.start();
    try {
      return await use(service);
    } finally {
      await service.stop();
    }
  } finally {
    await stopPostgres();
  }
}
