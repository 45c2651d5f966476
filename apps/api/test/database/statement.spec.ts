import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { limited, prepared } from '../../src/database/statement.js';

let testDatabase: TestDatabase;
let client: Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  client = new Client({ connectionString: testDatabase.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await testDatabase.drop();
});

describe('A prepared statement', () => {
  it('is named by its text', () => {
    expect(prepared('SELECT 1').name).toBe(prepared('SELECT 1').name);
    expect(prepared('SELECT 1').name).not.toBe(prepared('SELECT 2').name);
  });

  it('has no members of its own, which pg would copy for each query', () => {
    expect(Object.getOwnPropertyNames(prepared('SELECT 1'))).toEqual([]);
  });
});

describe('The undocumented behaviour of pg', () => {
  it('prepared: the members of a query may be those of its prototype', async () => {
    const statement = prepared('SELECT $1::int AS number');
    expect((await client.query(statement, [7])).rows).toEqual([{ number: 7 }]);
    const { rows } = await client.query('SELECT name, statement AS text FROM pg_prepared_statements');
    expect(rows).toEqual([{ name: statement.name, text: statement.text }]);
  });

  it('limited: a query may have a time limit where its client has none', async () => {
    const begun = performance.now();
    await expect(client.query(limited('SELECT pg_sleep(2)', 100))).rejects.toThrow('timeout');
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
