import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, LocalPostgres, NameServer, ServiceProcess } from 'testing';
import { requireProgram } from './require-program.js';

const config = readFileSync(join(import.meta.dirname, '../load-balancer.conf'), 'utf8');

const nginxPath = `${process.env['PATH']}:/usr/sbin`;

describe('The load balancer before two replicas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'load-balancer-'));
  /** Compose gives the replicas one name. */
  let names: NameServer;
  let postgres: LocalPostgres;
  let replicas: ServiceProcess[];
  let replicaPort: number;
  let nginx: ChildProcess;
  let url: string;

  beforeAll(async () => {
    requireProgram('nginx', 'nginx-light');
    const data = join(folder, 'data');
    mkdirSync(data);
    // PostgreSQL does not run as root, but as another user, who needs access to the folder.
    spawnSync('chmod', ['755', folder]);
    postgres = await LocalPostgres.start(data);
    replicaPort = await freePort();
    replicas = [await startReplica('127.0.0.2'), await startReplica('127.0.0.3')];
    names = await NameServer.start(() => ['127.0.0.2', '127.0.0.3']);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    nginx = startNginx(port);
    await untilResponding();
  });

  afterAll(async () => {
    nginx.kill('SIGTERM');
    await once(nginx, 'exit');
    await Promise.all(replicas.map((replica) => replica.stop()));
    await postgres.stop();
    names.close();
    rmSync(folder, { recursive: true });
  });

  const startReplica = (host: string): Promise<ServiceProcess> =>
    ServiceProcess.start({
      HOST: host,
      PORT: String(replicaPort),
      DATABASE_URL: postgres.url('postgres'),
      ACCESS_LOG: 'true',
      TRUST_PROXY: '1',
      RATE_LIMIT: '100000',
    });

  /** The file with other addresses. */
  function startNginx(port: number): ChildProcess {
    const own = config
      .replace('127.0.0.11 valid=2s', `127.0.0.1:${names.port} valid=1s`)
      .replace('api:3000', `api:${replicaPort}`)
      .replace('listen 8080;', `listen 127.0.0.1:${port};`);
    expect(own).not.toMatch(/0\.11|:3000|8080/);
    writeFileSync(join(folder, 'default.conf'), own);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path tmp_${name};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `pid nginx.pid; error_log stderr crit; events {} http { access_log off; ${temporary.join(' ')} include default.conf; }`,
    );
    const flags = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off; master_process off;'];
    return spawn('nginx', flags, { env: { PATH: nginxPath }, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  async function untilResponding(): Promise<void> {
    for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50)) {
      if ((await fetch(`${url}/v1/bookings`).catch(() => undefined))?.status === 200) return;
    }
    throw new Error('nginx does not respond.');
  }

  /** The status of a path that is sent as it is; `fetch` would shorten it. */
  async function statusOf(path: string): Promise<number | undefined> {
    const sent = request(url, { path, headers: { Accept: 'text/html' } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  }

  const post = (body: string): Promise<Response> =>
    fetch(`${url}/v1/bookings`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const handledBy = (replica: ServiceProcess): number =>
    replica.lines.filter(({ operation }) => operation !== undefined && operation !== 'other').length;

  it('sends requests to both, and one slot is booked once through either', async () => {
    const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
    const responses = await Promise.all(Array.from({ length: 40 }, () => post(JSON.stringify({ slot }))));
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201,
      ...Array<number>(39).fill(409),
    ]);
    for (const replica of replicas) expect(handledBy(replica)).toBeGreaterThan(5);
  });

  it('lets the service reject bodies that are too large, and passes on its headers', async () => {
    const rejected = await post(`{"text":"${'x'.repeat(70_000)}"}`);
    expect(rejected.status).toBe(413);
    expect(rejected.headers.get('content-type')).toBe('application/problem+json');
    expect(rejected.headers.get('x-request-id')).toMatch(/./);
  });

  it('passes on the interface and its pages, and nothing that is for operators', async () => {
    const page = await (await fetch(`${url}/timetable`)).text();
    const asset = /"(timetable\/[^"]+)"/.exec(page)![1]!;
    const pages = ['/docs', '/docs/swagger-ui.css', '/openapi.json', '/timetable', `/${asset}`, '/v1/bookings'];
    for (const path of pages) expect([path, await statusOf(path)]).toEqual([path, 200]);
    expect(await statusOf('/')).toBe(302);
    const others = ['/metrics', '/health/live', '/health/ready', '/v1/../metrics', '/docs/%2e%2e/metrics', '/v1x'];
    for (const path of others) expect([path, await statusOf(path)]).toEqual([path, 404]);
  });

  it('loses no read when a replica stops', async () => {
    const [one] = replicas;
    const statuses: number[] = [];
    for (let request = 0; request < 200; request++) {
      statuses.push((await fetch(`${url}/v1/bookings?limit=1`)).status);
      if (request === 50) one!.child.kill('SIGTERM');
    }
    expect(await one!.ended).toEqual([0, null]);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('finds a replica at an address that no replica had when it started', async () => {
    replicas.push(await startReplica('127.0.0.4'));
    names.addressesOf = () => ['127.0.0.4'];
    await Promise.all(replicas.slice(0, 2).map((replica) => replica.stop()));
    await untilResponding();
  });
});
