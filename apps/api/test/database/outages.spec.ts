import { createTestDatabase, TcpProxy, type TestDatabase, until } from 'testing';
import { type RunningApp, startApp } from '../support/start-app.js';

const LOST = ['error', 'Not ready', 'database'];
const FOUND = ['warn', 'Ready again', 'database'];

let testDatabase: TestDatabase;
let proxy: TcpProxy;
let running: RunningApp | undefined;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  proxy = await startProxy();
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  proxy.close();
  await testDatabase.drop();
});

const startProxy = (port?: number): Promise<TcpProxy> => TcpProxy.start(Number(new URL(testDatabase.url).port), port);

function proxied(): string {
  const url = new URL(testDatabase.url);
  url.port = String(proxy.port);
  return url.href;
}

const ready = (): Promise<Response> => fetch(`${running!.url}/health/ready`);
const untilReadyIs = (status: number) => until(async () => (await ready()).status === status);

const logged = (): Record<string, unknown>[] =>
  running!.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
const summaries = (): unknown[] => logged().map(({ level, msg, dependency }) => [level, msg, dependency]);

const metrics = async (): Promise<string[]> =>
  (await (await fetch(`${running!.url}/metrics`)).text()).match(/^database_\w+ \d+$/gm)!.toSorted();

it('A service whose database is lost is not ready and logs that once, and once that it is ready again', async () => {
  running = await startApp({ DATABASE_URL: proxied() });
  expect(await (await ready()).json()).toEqual({ status: 'ok' });
  expect((await metrics()).toSorted()).toEqual([
    'database_pool_connections 1',
    'database_pool_idle_connections 1',
    'database_pool_max_connections 10',
    'database_pool_waiting_statements 0',
    'database_up 1',
  ]);
  proxy.hang();
  await untilReadyIs(503);
  for (let probe = 0; probe < 10; probe++) {
    expect(await (await ready()).json()).toMatchObject({ status: 503, detail: 'Not ready: database.' });
  }
  expect(await metrics()).toContain('database_up 0');
  expect(summaries()).toEqual([LOST]);
  expect(logged()[0]).toMatchObject({ reason: expect.stringMatching(/within 2000 ms/) });
  proxy.goOn();
  await untilReadyIs(200);
  expect(summaries()).toEqual([LOST, FOUND]);
  expect(await metrics()).toContain('database_up 1');
});

it('One whose database is absent at the start logs the cause once, and once that it is ready', async () => {
  const { port } = proxy;
  const url = proxied();
  proxy.close();
  running = await startApp({ DATABASE_URL: url });
  expect((await ready()).status).toBe(503);
  await until(() => running!.logged.length > 0);
  expect(logged()[0]).toMatchObject({ cause: expect.stringContaining('ECONNREFUSED') });
  proxy = await startProxy(port);
  await untilReadyIs(200);
  expect(summaries()).toEqual([LOST, FOUND]);
});
