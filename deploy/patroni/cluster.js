import { spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Machine, makeFolder, Program } from './machine.js';

/** How the service reaches its database. @typedef {'haproxy' | 'hosts' | 'pgbouncer'} Way */
/** @typedef {{ name: string, role: string, state: string, api_url: string, lag?: number | string }} Member */

const NAMES = /** @type {const} */ (['db1', 'db2', 'db3']);
const PROGRAMS = ['etcd', 'patroni', 'haproxy', 'pgbouncer'];
const PASSWORD = randomBytes(12).toString('hex');
const REPLICATION_PASSWORD = randomBytes(12).toString('hex');

/** @returns {string[]} the Debian packages that are not installed here */
export function missingPackages() {
  const env = { PATH: `${process.env['PATH']}:/usr/sbin` };
  const isThere = (/** @type {string} */ program) => spawnSync('which', [program], { env }).status === 0;
  const missing = PROGRAMS.filter((program) => !isThere(program));
  const packages = missing.map((program) => (program === 'etcd' ? 'etcd-server' : program));
  return existsSync(binariesOf(environmentFile())) ? packages : [...packages, 'postgresql'];
}

/**
 * The files of this folder on one machine: each member, HAProxy and PgBouncer have their own loopback address (Linux has
 * all of 127.0.0.0/8), so ports and settings are those of three machines.
 */
export class PatroniCluster {
  folder = mkdtempSync(join(tmpdir(), 'bookings-patroni-'));
  network = `127.${randomInt(10, 250)}.${randomInt(1, 250)}`;
  /** @type {Program[]} */
  others = [];

  constructor() {
    chmodSync(this.folder, 0o755);
    process.once('exit', () => this.removeFolder());
    makeFolder(join(this.folder, 'proxies'));
    const settings = this.copy('patroni.yml');
    this.machines = NAMES.map((name, index) => {
      const env = this.environmentOf(name, `${this.network}.${index + 1}`);
      return new Machine(name, join(this.folder, name), env, settings);
    });
  }

  static async start() {
    const cluster = new PatroniCluster();
    try {
      for (const machine of cluster.machines) machine.start();
      await cluster.untilComplete(120_000);
      await cluster.makeDatabase();
      cluster.startProxies();
      return cluster;
    } catch (error) {
      await cluster.remove({ keepsLogs: true });
      throw error;
    }
  }

  /** @param {Way} way @returns {Record<string, string>} the environment of a replica of the service */
  environmentFor(way) {
    const login = `postgres://bookings:${PASSWORD}@`;
    if (way === 'pgbouncer') return { DATABASE_URL: `${login}${this.network}.9:6432/bookings` };
    const hosts = this.machines.map((_, index) => `${this.network}.${index + 1}:5432`).join(',');
    const several = `${login}${hosts}/bookings`;
    if (way === 'hosts') {
      return { DATABASE_URL: `${several}?target_session_attrs=read-write`, DATABASE_READ_URL: several };
    }
    const proxy = `${login}${this.network}.9`;
    return { DATABASE_URL: `${proxy}:5000/bookings`, DATABASE_READ_URL: `${proxy}:5001/bookings` };
  }

  /** @returns {Promise<Member[]>} the members according to Patroni; none while it does not respond */
  async members() {
    for (let index = 1; index <= NAMES.length; index++) {
      try {
        const signal = AbortSignal.timeout(1_000);
        const response = await fetch(`http://${this.network}.${index}:8008/cluster`, { signal });
        return /** @type {{ members: Member[] }} */ (await response.json()).members;
      } catch {
        // Another one may respond.
      }
    }
    return [];
  }

  /** @param {'leader' | 'sync_standby'} role @returns {Promise<Machine>} */
  async machineWith(role) {
    const member = (await this.members()).find((one) => one.role === role);
    const machine = this.machines.find(({ name }) => name === member?.name);
    if (machine === undefined) throw new Error(`No member is ${role}.`);
    return machine;
  }

  /** Promotes a standby in place of a healthy primary. */
  async switchOver() {
    const leader = (await this.members()).find(({ role }) => role === 'leader');
    const body = JSON.stringify({ leader: leader?.name });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(new URL('/switchover', leader?.api_url), { method: 'POST', headers, body });
    if (response.status !== 200) throw new Error(`No switchover: ${await response.text()}`);
  }

  /**
   * Waits until there is a primary with two standbys, one of them synchronous.
   *
   * @param {number} timeout in milliseconds
   */
  async untilComplete(timeout) {
    const start = performance.now();
    for (;;) {
      const members = await this.members();
      const roles = members.filter(({ state }) => /running|streaming/.test(state)).map(({ role }) => role);
      if (roles.toSorted().join() === 'leader,replica,sync_standby') return;
      if (performance.now() - start > timeout) throw new Error(`Not complete: ${JSON.stringify(members)}`);
      await sleep(250);
    }
  }

  /** @param {{ keepsLogs?: boolean }} [options] */
  async remove({ keepsLogs = false } = {}) {
    await Promise.all([...this.machines, ...this.others].map((one) => one.stop()));
    if (!keepsLogs) return this.removeFolder();
    process.stderr.write(`Logs are in ${this.folder}.\n`);
    this.removeFolder = () => {};
  }

  removeFolder() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A role for the service and its migrations, and a database. */
  async makeDatabase() {
    const leader = (await this.members()).find(({ role }) => role === 'leader');
    const host = new URL(leader?.api_url ?? '').hostname;
    const client = new pg.Client({ host, user: 'postgres', password: PASSWORD, database: 'postgres' });
    await client.connect();
    await client.query(`CREATE ROLE bookings LOGIN PASSWORD '${PASSWORD}'`);
    await client.query('CREATE DATABASE bookings OWNER bookings');
    await client.end();
  }

  startProxies() {
    const folder = join(this.folder, 'proxies');
    const hosts = Object.fromEntries(NAMES.map((_, index) => [`HOST_${index + 1}`, `${this.network}.${index + 1}`]));
    const env = { LISTEN: `${this.network}.9`, ...hosts };
    this.others.push(new Program(join(folder, 'haproxy.log'), 'haproxy', ['-db', '-f', this.copy('haproxy.cfg')], env));
    const users = join(folder, 'userlist.txt');
    writeFileSync(users, `"bookings" "${PASSWORD}"\n`);
    const settings = this.copy('pgbouncer.ini', (text) =>
      text.replaceAll('@HOST@', `${this.network}.9`).replace('/etc/pgbouncer/userlist.txt', users),
    );
    this.others.push(new Program(join(folder, 'pgbouncer.log'), 'pgbouncer', [settings]));
  }

  /** @param {string} name @param {string} host @returns {Record<string, string>} member.env, filled in */
  environmentOf(name, host) {
    const filled = environmentFile()
      .replaceAll('@NAME@', name)
      .replaceAll('@HOST@', host)
      .replaceAll('@SUPERUSER_PASSWORD@', PASSWORD)
      .replaceAll('@REPLICATION_PASSWORD@', REPLICATION_PASSWORD)
      .replaceAll(/@HOST_(\d)@/g, `${this.network}.$1`);
    return Object.fromEntries([...filled.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value ?? '']));
  }

  /** @param {string} file @param {(text: string) => string} [change] @returns {string} path of a copy of the file */
  copy(file, change = (text) => text) {
    const path = join(this.folder, file);
    writeFileSync(path, change(readFileSync(join(import.meta.dirname, file), 'utf8')));
    return path;
  }
}

function environmentFile() {
  return readFileSync(join(import.meta.dirname, 'member.env'), 'utf8');
}

/** @param {string} environment @returns {string} the folder with PostgreSQL's programs */
function binariesOf(environment) {
  return /^PATRONI_POSTGRESQL_BIN_DIR=(.*)$/m.exec(environment)?.[1] ?? '';
}
