import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, TcpProxy, type TestDatabase } from 'testing';
import { type RunningApp, startApp } from '../support/start-app.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let proxy: TcpProxy;
let running: RunningApp;

beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());

afterEach(async () => {
  proxy.close();
  await running.close();
});

const startProxy = (port?: number): Promise<TcpProxy> => TcpProxy.start(Number(new URL(database.url).port), port);

async function start(port: number): Promise<void> {
  const url = new URL(database.url);
  url.port = String(port);
  running = await startApp({ DATABASE_URL: url.href });
}

async function ready(): Promise<{ status: number; body: string; milliseconds: number }> {
  const begun = performance.now();
  const response = await fetch(`${running.url}/health/ready`);
  const body = await response.text();
  return { status: response.status, body, milliseconds: performance.now() - begun };
}

const untilReadyIs = (status: number): Promise<number> => until(async () => (await ready()).status === status);

/** Level, message and dependency of each line. */
const loggedLines = (): unknown[] =>
  running.logged.map((line) => {
    const { level, msg, dependency } = JSON.parse(line) as Record<string, unknown>;
    return [level, msg, dependency];
  });

const upMetric = async (): Promise<string | undefined> =>
  /^database_up (\d)$/m.exec(await (await fetch(`${running.url}/metrics`)).text())?.[1];

const LOST = ['error', 'Not ready', 'database'];
const FOUND = ['warn', 'Ready again', 'database'];

describe('A service whose database is lost', () => {
  it('logs that once, responds within 200 ms that it is not ready, and logs once that it is ready again', async () => {
    proxy = await startProxy();
    await start(proxy.port);
    expect(await ready()).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(await upMetric()).toBe('1');
    proxy.hang();
    expect(await untilReadyIs(503)).toBeLessThan(5_000);
    for (let probe = 0; probe < 10; probe++) {
      const { status, body, milliseconds } = await ready();
      expect(status).toBe(503);
      expect(JSON.parse(body)).toMatchObject({ detail: 'Not ready: database.' });
      expect(milliseconds).toBeLessThan(200);
      await sleep(50);
    }
    expect(await upMetric()).toBe('0');
    expect(loggedLines()).toEqual([LOST]);
    expect(JSON.parse(running.logged[0]!)).toMatchObject({ reason: expect.stringMatching(/within 2000 ms/) });
    proxy.goOn();
    expect(await untilReadyIs(200)).toBeLessThan(8_000);
    expect(loggedLines()).toEqual([LOST, FOUND]);
    expect(await upMetric()).toBe('1');
  });

  it('before the start, logs the cause once, and once that it is ready', async () => {
    proxy = await startProxy();
    const { port } = proxy;
    proxy.close();
    await start(port);
    expect((await ready()).status).toBe(503);
    await sleep(1_500);
    expect(loggedLines()).toEqual([LOST]);
    expect(JSON.parse(running.logged[0]!)).toMatchObject({ cause: expect.stringContaining('ECONNREFUSED') });
    proxy = await startProxy(port);
    await untilReadyIs(200);
    expect(loggedLines()).toEqual([LOST, FOUND]);
  });
});
