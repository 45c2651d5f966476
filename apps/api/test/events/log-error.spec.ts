import { Logger } from '@nestjs/common';
import { createTestDatabase, freePort, type TestDatabase } from 'testing';
import { Database } from '../../src/database/database.js';
import { logError } from '../../src/events/log-error.js';
import { openDatabase } from '../support/open-database.js';

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
  database = await openDatabase(url, { DATABASE_STATEMENT_TIMEOUT_MS: statementTimeout });
}

describe('A fault of the work in the background', () => {
  it('that is one of a statement is logged once: a missing right or table, a lock, a time limit', async () => {
    await open(testDatabase.url, '500');
    const raise = (code: string): string => `DO $$ BEGIN RAISE 'with ${code}' USING ERRCODE = '${code}'; END $$`;
    const codes = ['42501', '42P01', '55P03', '57014'];
    for (const text of codes.flatMap((code) => [raise(code), raise(code)])) {
      await database.write({ text }).catch(logError);
    }
    expect(logged).toEqual(codes.map((code) => `A statement for events failed: with ${code}.`));
    // The limit of the service, or that of the server, which is the same.
    await database.write({ text: 'SELECT pg_sleep(60)' }).catch(logError);
    expect(logged.at(-1)).toMatch(/^A statement for events failed: .*statement timeout\.$/);
  });

  it('is not logged where the database is away, whose health is', async () => {
    await open(testDatabase.url.replace(/:\d+\//, `:${await freePort()}/`));
    await database.run({ text: 'SELECT 1' }).catch(logError);
    expect(logged.filter((line) => line.includes('events'))).toEqual([]);
  });
});
