import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** PostgreSQL refuses to run as root. For root, all programs run as `nobody`, which every Linux has. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

/** All are killed when this process ends, however it ends. @type {Set<Machine | Program>} */
const running = new Set();
process.once('exit', () => running.forEach((one) => one.signal('SIGKILL')));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(1));

/** @param {string} folder for the programs, which may run as another user */
export function makeFolder(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (isRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
}

/** A program that runs until it is stopped. Its output is written to a file. */
export class Program {
  /**
   * @param {string} log path of a file
   * @param {string} command
   * @param {string[]} args
   * @param {Record<string, string>} [env] in addition to `PATH`
   */
  constructor(log, command, args, env) {
    this.child = spawn(command, args, {
      env: { PATH: `${process.env['PATH']}:/usr/sbin`, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot && NOBODY),
    });
    const file = createWriteStream(log, { flags: 'a' });
    this.child.stdout.pipe(file, { end: false });
    this.child.stderr.pipe(file, { end: false });
    this.ended = once(this.child, 'close').finally(() => {
      running.delete(this);
      file.end();
    });
    running.add(this);
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    this.child.kill(signal);
  }

  async stop() {
    this.signal('SIGKILL');
    await this.ended;
  }
}

/** One member of the cluster: etcd, Patroni and the PostgreSQL that Patroni starts, on its own address. */
export class Machine {
  /** @type {Program | undefined} */
  etcd;
  /** @type {Program | undefined} */
  patroni;

  /**
   * @param {string} name
   * @param {string} folder
   * @param {Record<string, string>} env the member's environment, as in member.env
   * @param {string} settings path of patroni.yml
   */
  constructor(name, folder, env, settings) {
    this.name = name;
    this.folder = folder;
    this.settings = settings;
    this.data = join(folder, 'data');
    this.env = {
      ...env,
      ETCD_DATA_DIR: join(folder, 'etcd'),
      PATRONI_POSTGRESQL_DATA_DIR: this.data,
      PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
    };
    makeFolder(folder);
    running.add(this);
  }

  /** Starts the programs that are not running. */
  start() {
    if (!isRunning(this.etcd)) this.etcd = new Program(join(this.folder, 'etcd.log'), 'etcd', [], this.env);
    if (!isRunning(this.patroni)) {
      this.patroni = new Program(join(this.folder, 'patroni.log'), 'patroni', [this.settings], this.env);
    }
  }

  /**
   * @param {NodeJS.Signals} signal for every process of these parts
   * @param {readonly ('etcd' | 'patroni' | 'postgres')[]} parts
   */
  signal(signal, parts = ['patroni', 'postgres', 'etcd']) {
    const pids = parts.includes('postgres') ? this.postgresPids() : [];
    if (parts.includes('patroni')) this.patroni?.signal(signal);
    for (const pid of pids) signalIfThere(pid, signal);
    if (parts.includes('etcd')) this.etcd?.signal(signal);
  }

  async stop() {
    this.signal('SIGKILL');
    await Promise.all([this.etcd?.ended, this.patroni?.ended]);
    running.delete(this);
  }

  /** The postmaster, which is not a child of Patroni, and its children. @returns {number[]} */
  postgresPids() {
    let postmaster;
    try {
      postmaster = Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    } catch {
      return [];
    }
    const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return [postmaster, ...others.map(Number).filter((pid) => parentOf(pid) === postmaster)];
  }
}

/** @param {Program | undefined} program */
function isRunning(program) {
  return program !== undefined && program.child.exitCode === null && program.child.signalCode === null;
}

/** @param {number} pid @returns {number | undefined} */
function parentOf(pid) {
  try {
    // proc(5): the name of the program, in parentheses, may contain any character.
    return Number(/\) \S (\d+) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function signalIfThere(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}
