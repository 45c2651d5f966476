import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from 'testing';
import { Load } from './load.js';

/** @typedef {import('./cluster.js').PatroniCluster} PatroniCluster */
/** @typedef {import('./cluster.js').Way} Way */
/** @typedef {keyof typeof FAULTS} Fault */

/** Milliseconds of load before the fault, and at least after it, whether or not creates fail. */
const BEFORE = 3_000;
const AFTER = 10_000;
/** Maximum milliseconds until creates succeed again. */
const LONGEST_OUTAGE = 90_000;
/** Milliseconds without a failed create after which the outage is over. */
const QUIET = 4_000;
/** Milliseconds for which a machine is frozen: longer than its lease. */
const FROZEN = 35_000;

/** Causes each fault, and returns how to undo it. @type {Record<'switchover' | 'postgres' | 'primary' | 'machine' | 'frozen' | 'standby', (cluster: PatroniCluster) => Promise<() => Promise<void>>>} */
export const FAULTS = {
  switchover: async (cluster) => {
    await cluster.switchOver();
    return async () => {};
  },
  postgres: (cluster) => kill(cluster, 'leader', ['postgres']),
  primary: (cluster) => kill(cluster, 'leader', ['patroni', 'postgres']),
  machine: (cluster) => kill(cluster, 'leader', ['patroni', 'postgres', 'etcd']),
  frozen: async (cluster) => {
    const machine = await cluster.machineWith('leader');
    machine.signal('SIGSTOP');
    const end = performance.now() + FROZEN;
    return async () => {
      await sleep(Math.max(0, end - performance.now()));
      machine.signal('SIGCONT');
    };
  },
  standby: (cluster) => kill(cluster, 'sync_standby', ['patroni', 'postgres', 'etcd']),
};

/** Descriptions of the faults. @type {Record<Fault, string>} */
export const TEXTS = {
  switchover: 'switchover',
  postgres: 'kill -9 of PostgreSQL',
  primary: 'kill -9 of PostgreSQL and its Patroni',
  machine: 'kill -9 of these and of etcd: the machine is gone',
  frozen: 'the machine freezes for 35 s',
  standby: 'the machine of the synchronous standby is gone',
};

/**
 * Causes a fault under load, on a complete cluster, and waits until it is complete again.
 *
 * @param {PatroniCluster} cluster
 * @param {Way} way from the service to the database
 * @param {Fault} fault
 */
export async function failOver(cluster, way, fault) {
  const env = cluster.environmentFor(way);
  const replicas = await Promise.all([ServiceProcess.start(env), ServiceProcess.start(env)]);
  try {
    const urls = replicas.map(({ url }) => url);
    await untilReady(urls);
    const load = new Load(urls);
    await sleep(BEFORE);
    const begun = performance.now();
    const goBack = await FAULTS[fault](cluster);
    const untilWell = untilCreatesSucceed(load, begun);
    await Promise.all([untilWell, goBack()]);
    await cluster.untilComplete(120_000);
    await load.end();
    return { way, fault, ...figuresOf(load, begun), ...(await load.readBack()) };
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
  }
}

/**
 * When creates failed: from the first failed response to the last one before three seconds without failures.
 *
 * @param {import('./load.js').Call[]} failed
 */
function outagesOf(failed) {
  /** @type {{ from: number, until: number }[]} */
  const outages = [];
  for (const instant of failed.map(({ at, took }) => at + took).toSorted((one, other) => one - other)) {
    const last = outages.at(-1);
    if (last === undefined || instant - last.until > 3_000) outages.push({ from: instant, until: instant });
    else last.until = instant;
  }
  return outages;
}

/** @param {Load} load @param {number} begun instant of the fault */
function figuresOf(load, begun) {
  const failed = load.creates.filter(({ status }) => status !== 201);
  const unavailable = failed.filter(({ status }) => status === 503);
  const since = (/** @type {number} */ instant) => (instant - begun) / 1_000;
  return {
    acknowledged: load.acknowledged.size,
    unavailable: unavailable.length,
    /** Responses other than 201 and 503, and missing ones. */
    others: failed.length - unavailable.length,
    /** Seconds after the fault. */
    outages: outagesOf(failed).map(({ from, until }) => ({ from: since(from), until: since(until) })),
    /** Milliseconds. */
    slowest: Math.max(...load.creates.map(({ took }) => took)),
    gets: load.gets.length,
    getsFailed: load.gets.filter(({ status }) => status !== 200).length,
  };
}

/** @param {PatroniCluster} cluster @param {'leader' | 'sync_standby'} role @param {('patroni' | 'postgres' | 'etcd')[]} parts */
async function kill(cluster, role, parts) {
  const machine = await cluster.machineWith(role);
  machine.signal('SIGKILL', parts);
  const end = performance.now() + FROZEN;
  return async () => {
    // Not before another member has taken its place.
    await sleep(Math.max(0, end - performance.now()));
    machine.start();
  };
}

/** @param {Load} load @param {number} begun */
async function untilCreatesSucceed(load, begun) {
  const hasFailedSince = (/** @type {number} */ instant) =>
    load.creates.some(({ at, took, status }) => status !== 201 && at + took > instant);
  const isWell = () => performance.now() - begun > AFTER && !hasFailedSince(performance.now() - QUIET);
  while (!isWell()) {
    if (performance.now() - begun > LONGEST_OUTAGE) throw new Error('Creates do not succeed again.');
    await sleep(100);
  }
}

/** @param {string[]} urls */
async function untilReady(urls) {
  const isReady = async (/** @type {string} */ url) =>
    (await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200;
  for (let tries = 0; !(await Promise.all(urls.map(isReady))).every(Boolean); tries++) {
    if (tries > 300) throw new Error('The service is not ready.');
    await sleep(100);
  }
}
