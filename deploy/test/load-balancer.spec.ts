import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, LocalPostgres, ServiceProcess } from 'testing';

const config = readFileSync(join(import.meta.dirname, '../load-balancer.conf'), 'utf8');

const nginxPath = `${process.env['PATH']}:/usr/sbin`;
const hasNginx = spawnSync('nginx', ['-v'], { env: { PATH: nginxPath } }).status === 0;
if (!hasNginx)
  process.stderr.write('nginx (Debian package nginx-light) is not installed: the load balancer is not tested.\n');

(hasNginx ? describe : describe.skip)('The load balancer before two replicas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'load-balancer-'));
  let postgres: LocalPostgres;
  let replicas: ServiceProcess[];
  let nginx: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    // PostgreSQL does not run as root, but as another user, who needs access to the folder.
    spawnSync('chmod', ['755', folder]);
    postgres = await LocalPostgres.start(data);
    const env = { DATABASE_URL: postgres.url('postgres'), ACCESS_LOG: 'true', TRUST_PROXY: '1', RATE_LIMIT: '100000' };
    replicas = [await ServiceProcess.start(env), await ServiceProcess.start(env)];
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
    rmSync(folder, { recursive: true });
  });

  /** The file with other addresses: compose gives the replicas one name. */
  function startNginx(port: number): ChildProcess {
    const servers = replicas.map((replica) => `server ${new URL(replica.url).host};`).join(' ');
    const own = config.replace('server api:3000;', servers).replace('listen 8080;', `listen 127.0.0.1:${port};`);
    expect(own).not.toMatch(/api:3000|8080/);
    writeFileSync(join(folder, 'default.conf'), own);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path tmp_${name};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `pid nginx.pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')} include default.conf; }`,
    );
    const flags = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off; master_process off;'];
    return spawn('nginx', flags, { env: { PATH: nginxPath }, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  async function untilResponding(): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if ((await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200) return;
      await sleep(50);
    }
    throw new Error('nginx does not respond.');
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

  it('reuses connections to the replicas, and never one that is just being closed', async () => {
    // Longer than nginx keeps an idle connection, and about as long as the service does.
    for (const pause of [0, 3_900, 1_200]) {
      await sleep(pause);
      const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await post('{}')).status));
      expect(new Set(statuses)).toEqual(new Set([201]));
    }
  });

  it('loses no read when a replica stops', async () => {
    const [one] = replicas;
    const statuses: number[] = [];
    const reading = (async () => {
      for (let request = 0; request < 200; request++) {
        statuses.push((await fetch(`${url}/v1/bookings?limit=1`)).status);
        if (request === 50) one!.child.kill('SIGTERM');
      }
    })();
    await reading;
    expect(await one!.ended).toEqual([0, null]);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
