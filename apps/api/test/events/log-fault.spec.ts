import { Logger } from '@nestjs/common';
import { createTestDatabase, freePort, type TestDatabase } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { Database } from '../../src/database/database.js';
import { logFault } from '../../src/events/log-fault.js';

let testDatabase: TestDatabase;
let database: Database;
let logged: string[];

beforeEach(async () => {
  logged = [];
  const log = (line: string): void => void logged.push(line);
  Logger.overrideLogger({ log, warn: log, error: log });
  testDatabase = await createTestDatabase();
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

async function open(url: string, statementTimeout = '10000'): Promise<void> {
  database = new Database(readConfig({ DATABASE_URL: url, DATABASE_STATEMENT_TIMEOUT_MS: statementTimeout }).database!);
  await database.prepare();
}

describe('A fault of the work in the background', () => {
  it('that is one of a statement is logged once: a missing right or table, a lock, a time limit', async () => {
    await open(testDatabase.url, '500');
    const raise = (code: string): string => `DO $$ BEGIN RAISE 'with ${code}' USING ERRCODE = '${code}'; END $$`;
    for (const text of [raise('42501'), raise('42P01'), raise('55P03'), raise('57014'), 'SELECT pg_sleep(60)']) {
      for (let time = 0; time < 2; time++) await database.write({ text }).catch(logFault);
    }
    const faults = ['with 42501', 'with 42P01', 'with 55P03', 'with 57014', 'statement timeout'];
    expect(logged).toEqual(faults.map((fault) => `A statement for events failed: ${fault}.`));
  });

  it('is not logged where the database is away, whose health is', async () => {
    await open(testDatabase.url.replace(/:\d+\//, `:${await freePort()}/`));
    await database.run({ text: 'SELECT 1' }).catch(logFault);
    expect(logged.filter((line) => line.includes('events'))).toEqual([]);
  });
});
