/**
 * Starts Patroni with three members, HAProxy, PgBouncer and two replicas of the service on this machine, lets clients
 * book, removes the primary, and prints which bookings were lost and for how long creates were 503:
 * `node deploy/patroni/try.js [--through haproxy,hosts,pgbouncer] [--fault switchover,postgres,primary,machine,frozen,standby]`.
 * Without options, all of them one after another.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { missingPackages, PatroniCluster } from './cluster.js';
import { failOver, FAULTS, TEXTS } from './failover.js';

const WAYS = /** @type {const} */ (['haproxy', 'hosts', 'pgbouncer']);
const { values } = parseArgs({ options: { through: { type: 'string' }, fault: { type: 'string' } } });
const ways = chosen(values.through, WAYS);
const faults = chosen(values.fault, /** @type {(keyof typeof FAULTS)[]} */ (Object.keys(FAULTS)));

const missing = missingPackages();
if (missing.length > 0) {
  process.stderr.write(
    `Not started: Debian's packages ${missing.join(', ')} are missing. Install them with apt-get.\n`,
  );
  process.exit(2);
}

const cluster = await PatroniCluster.start();
let isWell = true;
try {
  print(['through', 'fault', 'acknowledged', 'lost', 'changed', 'failed (503), s after it', 'slowest, ms', 'gets']);
  for (const way of ways) {
    for (const fault of faults) {
      const found = await failOver(cluster, way, fault);
      const { acknowledged, lost, changed, unavailable, others, outages, slowest, gets, getsFailed } = found;
      const spans = outages.map(({ from, until }) => `${from.toFixed(1)} to ${until.toFixed(1)}`);
      const failed = spans.length === 0 ? 'none' : `${spans.join(' and ')} (${unavailable})`;
      const all = [way, TEXTS[fault], acknowledged, lost.length, changed.length, failed, Math.round(slowest)];
      print([...all, `${gets}, ${getsFailed} failed`]);
      if (others > 0) process.stderr.write(`${others} creates had another response than 201 and 503, or none.\n`);
      isWell &&= lost.length + changed.length + others === 0;
    }
  }
  process.stdout.write(`\nLoad of the machine: ${loadavg()[0]?.toFixed(1)}\n`);
} finally {
  await cluster.remove({ keepsLogs: !isWell });
}
process.exit(isWell ? 0 : 1);

/** @param {readonly unknown[]} cells */
function print(cells) {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

/**
 * @template {string} Name
 * @param {string | undefined} text names separated by commas
 * @param {readonly Name[]} all
 * @returns {readonly Name[]}
 */
function chosen(text, all) {
  const names = text?.split(',') ?? all;
  const found = all.filter((one) => names.includes(one));
  if (found.length < names.length) {
    process.stderr.write(`${text} has names other than ${all.join(', ')}.\n`);
    process.exit(2);
  }
  return found;
}
