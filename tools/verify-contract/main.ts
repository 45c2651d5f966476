/** `pnpm verify-contract`, with the built service on an embedded PostgreSQL. */
import startPostgres, { stopPostgres } from 'testing/global-setup';
import { verifyContracts } from './command.js';
import { ServiceUnderContract } from './service-under-contract.js';

const { argv, env, stdout, stderr } = process;
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
