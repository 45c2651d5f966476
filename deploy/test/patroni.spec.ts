import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '../patroni');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

interface Settings {
  scope: string;
  bootstrap: {
    dcs: Record<string, unknown> & {
      ttl: number;
      loop_wait: number;
      retry_timeout: number;
      postgresql: { use_pg_rewind: boolean; parameters: Record<string, string> };
    };
    initdb: unknown[];
  };
  postgresql: { pg_hba: string[] };
}
const settings = parse(read('patroni.yml')) as Settings;
const { dcs } = settings.bootstrap;

describe('Patroni', () => {
  it('promotes only a member with every acknowledged commit, and acknowledges only what two members have', () => {
    expect(dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true });
    expect(dcs.postgresql.parameters).toMatchObject({ synchronous_commit: 'on', fsync: 'on', full_page_writes: 'on' });
  });

  it('promotes a synchronous standby that lacks only unconfirmed commits', () => {
    expect(dcs['maximum_lag_on_failover']).toBeGreaterThanOrEqual(1_048_576);
  });

  it('has timeouts that Patroni accepts, and replaces a crashed primary immediately', () => {
    expect(dcs.ttl).toBeGreaterThanOrEqual(20);
    expect(dcs.retry_timeout).toBeGreaterThanOrEqual(3);
    expect(dcs.loop_wait + 2 * dcs.retry_timeout).toBeLessThanOrEqual(dcs.ttl);
    expect(dcs['primary_start_timeout']).toBe(0);
  });

  it('takes back a former primary by pg_rewind, which requires checksums', () => {
    expect(dcs.postgresql.use_pg_rewind).toBe(true);
    expect(settings.bootstrap.initdb).toContain('data-checksums');
  });

  it('accepts no connection without a password', () => {
    for (const line of settings.postgresql.pg_hba) expect(line).toMatch(/ scram-sha-256$/);
  });
});

describe('The environment of a member', () => {
  it('has no address and no password', () => {
    expect(read('member.env')).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
    expect(read('member.env')).toMatch(/^PATRONI_SUPERUSER_PASSWORD=@SUPERUSER_PASSWORD@$/m);
  });

  it('uses the API of etcd in which Patroni 3.0.2 never takes the lease from another member', () => {
    expect(read('member.env')).toMatch(/^ETCD_ENABLE_V2=true$/m);
    expect(read('member.env')).toMatch(/^PATRONI_ETCD_HOSTS=/m);
  });

  it('is filled in by the commands of the README', () => {
    const [, commands] = /(sed -e .*?) member\.env >/s.exec(read('README.md'))!;
    const names = ['NAME', 'HOST', 'SUPERUSER_PASSWORD', 'REPLICATION_PASSWORD', 'HOST_1', 'HOST_2', 'HOST_3'];
    const env = { PATH: process.env['PATH'], ...Object.fromEntries(names.map((name) => [name, `${name}-value`])) };
    const { stdout } = spawnSync('sh', ['-c', `${commands} member.env`], { cwd: folder, env, encoding: 'utf8' });
    expect(stdout).toContain('PATRONI_POSTGRESQL_LISTEN=HOST-value:5432');
    expect(stdout.replaceAll(/^#.*$/gm, '')).not.toContain('@');
  });
});

describe('HAProxy', () => {
  const env = { PATH: `${process.env['PATH']}:/usr/sbin`, LISTEN: '127.0.0.1' };
  const hosts = { ...env, HOST_1: '127.0.0.1', HOST_2: '127.0.0.2', HOST_3: '127.0.0.3' };
  const checked = spawnSync('haproxy', ['-c', '-f', join(folder, 'haproxy.cfg')], { env: hosts, encoding: 'utf8' });
  if (checked.error !== undefined) process.stderr.write('haproxy is not installed: it does not check its file.\n');

  (checked.error === undefined ? it : it.skip)('accepts the file without a warning', () => {
    expect(checked).toMatchObject({ status: 0, stdout: 'Configuration file is valid\n', stderr: '' });
  });

  it('finds the primary through Patroni, and closes sessions with a former one', () => {
    const file = read('haproxy.cfg');
    expect(file).toMatch(/listen primary\n.*:5000"\n.*OPTIONS \/primary\n.*status 200\n/);
    expect(file).toMatch(/listen standbys\n.*:5001"\n.*\n.*OPTIONS \/replica\n.*status 200\n/);
    expect(file).toContain('on-marked-down shutdown-sessions');
    expect(file.match(/server db\d "\$\{HOST_\d\}:5432" check port 8008/g)).toHaveLength(6);
  });
});

it('PgBouncer pools by transaction, and reconnects after a second', () => {
  const file = read('pgbouncer.ini');
  expect(file).toMatch(/^pool_mode = transaction$/m);
  expect(file).toMatch(/^server_login_retry = 1$/m);
  expect(file).toMatch(/ port=5000 /);
});

describe('The profile of compose', () => {
  const compose = parse(readFileSync(join(folder, '../../compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, { profiles?: string[]; environment?: Record<string, string>; volumes?: string[] }>;
    volumes: Record<string, null>;
  };
  const replicated = Object.entries(compose.services).filter(([, { profiles }]) => profiles?.includes('patroni'));

  it('has every part, and a volume for each member', () => {
    expect(replicated.map(([name]) => name)).toEqual([
      'etcd1',
      'etcd2',
      'etcd3',
      'db1',
      'db2',
      'db3',
      'replicated-roles',
      'replicated-migrate',
      'replicated-api',
    ]);
    const volumes = replicated.flatMap(([, service]) => service.volumes ?? []).map((volume) => volume.split(':')[0]!);
    expect(new Set(volumes).size).toBe(6);
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(volumes));
  });

  it('sets every variable of member.env', () => {
    const ofMachine = [...read('member.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
    const inCompose = ['etcd1', 'db1'].flatMap((name) => Object.keys(compose.services[name]!.environment!));
    expect(inCompose.toSorted()).toEqual(ofMachine.toSorted());
  });

  it('is not started by default', () => {
    expect(Object.keys(compose.services).filter((name) => !replicated.some(([one]) => one === name))).toEqual([
      'postgres',
      'create-roles',
      'migrate',
      'api',
      'load-balancer',
    ]);
  });
});
