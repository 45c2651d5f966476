/**
 * `pnpm verify-contract FILE`: verifies the built service, on an embedded PostgreSQL, against one contract. Exit codes:
 * 0 it is kept, 1 it is broken, 2 it was not verified.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LocalPostgres } from 'testing';
import { type Contract, readContract } from './contract.js';
import { verify } from './verify.js';

async function verifyOnPostgres(contract: Contract): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'verify-contract-'));
  const postgres = await LocalPostgres.start(folder);
  try {
    return await verify(contract, { database: postgres.url('postgres') });
  } finally {
    await postgres.stop('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  }
}

const [given, ...more] = process.argv.slice(2);
try {
  if (!given || more.length > 0) throw new TypeError('Give one pact file: pnpm verify-contract FILE');
  // pnpm runs this from the root of the repository, whatever the folder that it was called in.
  const contract = readContract(resolve(process.env['INIT_CWD'] ?? process.cwd(), given));
  const isKept = await verifyOnPostgres(contract);
  const count = contract.descriptions.length === 1 ? '1 interaction' : `${contract.descriptions.length} interactions`;
  process.stdout.write(`The service ${isKept ? 'keeps' : 'breaks'} the contract of ${contract.consumer}: ${count}.\n`);
  process.exitCode = isKept ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\nThe contract was not verified.\n`);
  process.exitCode = 2;
}
