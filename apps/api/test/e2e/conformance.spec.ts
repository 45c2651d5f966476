import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConformanceOptions, NotCheckableError, runConformance } from '@booking-service/conformance';
import { createTestDatabase, type TestDatabase } from 'testing';
import { expectContract } from 'testing/contract';
import { createServingRole, dropRole } from '../support/roles.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
const secret = `whsec_${Buffer.alloc(32, 'conformance').toString('base64')}`;
/** Events require PostgreSQL. */
const isOnPostgres = process.env['TEST_STORE'] === 'postgres';
/** Keeps a port for the events of the run: the service makes connections, which would take it. */
const place = createServer().listen(0, '127.0.0.1');
let port: number;
let running: RunningApp;
let database: TestDatabase | undefined;
let role: { name: string; url: string } | undefined;

beforeAll(async () => {
  await once(place, 'listening');
  ({ port } = place.address() as AddressInfo);
  const endpoint = { name: 'conformance', url: `http://127.0.0.1:${port}`, secrets: [secret], from: 'now' };
  const file = join(folder, 'webhooks.json');
  writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }));
  if (isOnPostgres) {
    // A role that has no more rights than the service needs.
    database = await createTestDatabase();
    role = await createServingRole(database);
  }
  running = await startApp({
    RATE_LIMIT: '1000000',
    ...(role && { DATABASE_URL: role.url, WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' }),
  });
});
afterAll(async () => {
  await running.close();
  if (role !== undefined) await dropRole(database!, role.name);
  await database?.drop();
  rmSync(folder, { recursive: true });
});

/** Holds each response against the OpenAPI document, which the kit does not know. */
const onResponse: ConformanceOptions['onResponse'] = ({ request, ...response }) => {
  expectContract({ ...request, ...response });
};

// The limits on time are those of one server for both stores, and waiting for them takes 16 s.
const slow = !isOnPostgres;

/** Milliseconds that the whole kit takes on no machine. */
const HANG = 600_000;

describe('The conformance kit', () => {
  it(
    'finds that the service keeps every level of the interface that its store allows',
    async () => {
      place.close();
      const { level, results } = await runConformance({
        url: running.url,
        slow,
        onResponse,
        events: isOnPostgres ? { port, secret } : undefined,
      });
      expect(level).toBe(isOnPostgres ? 'events' : 'concurrency');
      const skipped = slow ? [] : ['limit.headers-time', 'limit.request-time'];
      expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(results.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)).toEqual(skipped);
    },
    HANG,
  );

  it('finds nothing else on the bookings that are there then, where it may only read', async () => {
    const { results, passed } = await runConformance({ url: running.url, readOnly: true, onResponse });
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(passed).toBeGreaterThan(50);
  });

  it('conforms with a payload of a deployment that has its own schema', async () => {
    const file = fileURLToPath(new URL('../../../../examples/booking-schema/dinner.schema.json', import.meta.url));
    const { examples } = JSON.parse(readFileSync(file, 'utf8')) as { examples: object[] };
    const dinners = await startApp({ BOOKING_SCHEMA_FILE: file });
    try {
      const run = { url: dinners.url, level: 'interface' } as const;
      await expect(runConformance(run)).rejects.toThrow(NotCheckableError);
      const { results, passed } = await runConformance({ ...run, payload: examples[0]! });
      expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(passed).toBeGreaterThan(90);
    } finally {
      await dinners.close();
    }
  });
});
