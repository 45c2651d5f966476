import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from 'testing';
import { api } from '../support/api.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let database: TestDatabase;
let running: RunningApp;

beforeAll(async () => {
  database = await createTestDatabase();
  running = await startApp({ DATABASE_URL: database.url, LOG_LEVEL: 'trace', DATABASE_STATEMENT_TIMEOUT_MS: '500' });
});
afterAll(async () => {
  await running?.close();
  await database?.drop();
});

const failures = (): Record<string, unknown>[] =>
  running.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'Request failed');

describe('What PostgreSQL rejects', () => {
  it('is an error with its code, and without the row that PostgreSQL names in it', async () => {
    await database.query(`ALTER TABLE bookings ADD CONSTRAINT broken CHECK (json = '') NOT VALID`);
    const { status } = await fetch(`${running.url}/v1/bookings`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'key-c0ffee' },
      body: '{"secret":"c0ffee"}',
    });
    expect(status).toBe(500);
    expect(failures()).toEqual([
      expect.objectContaining({ level: 'error', err: expect.objectContaining({ code: '23514' }) }),
    ]);
    expect(running.logged.join('')).not.toContain('c0ffee');
  });

  it('is a warning that says why, without a stack, where waiting mends it', async () => {
    await database.query('ALTER TABLE bookings DROP CONSTRAINT broken');
    const before = failures().length;
    const locked = database.query('BEGIN; LOCK TABLE bookings; SELECT pg_sleep(1.5); COMMIT');
    await sleep(300);
    await api(running.url).get('/v1/bookings').expect(503);
    await locked;
    expect(failures().slice(before)).toEqual([
      expect.objectContaining({
        level: 'warn',
        status: 503,
        operation: 'listBookings',
        reason: 'The service cannot reach its database.',
        cause: expect.stringMatching(/timeout/),
      }),
    ]);
    expect(failures().at(-1)).not.toHaveProperty('err');
  });
});
