import { MAJORS } from 'testing';
import { CrashablePostgres } from './deployment/crashable-postgres.js';
import { type Bench, Deployment } from './deployment/deployment.js';
import { type Figures, tableOf } from './scenarios/figures.js';
import { chooseSeed, Random } from './random.js';
import { databaseCrashes, replicaKills } from './scenarios/crashes.js';
import { type Crashes, eventsThroughCrashes } from './scenarios/events.js';
import { failovers } from './scenarios/failovers.js';
import { lostResponses } from './scenarios/lost-responses.js';
import { alteredPayloads, oneKey } from './scenarios/one-key.js';
import { oneWindow } from './scenarios/one-window.js';
import { OUTAGES, outages } from './scenarios/outages.js';
import { randomHistories } from './scenarios/random-histories.js';
import { restores } from './scenarios/restores.js';
import { sabotages } from './scenarios/sabotages.js';
import { terminations } from './scenarios/terminations.js';
import { walkers } from './scenarios/walkers.js';

/** Run by `pnpm test:torture`, some ten minutes long. TORTURE_SEED repeats the choices of a run. */
const seed = chooseSeed();
const MINUTES = 60_000;
const found: Figures[] = [];
const start = performance.now();
let bench: Bench;
let deployment: Deployment;
/** With a proxy between the service and PostgreSQL. */
let proxied: Deployment;

function say(line: string): void {
  process.stdout.write(`${((performance.now() - start) / 1_000).toFixed(0).padStart(5)} s  ${line}\n`);
}

beforeAll(async () => {
  say(`TORTURE_SEED=${seed}`);
  const postgres = await CrashablePostgres.start();
  bench = { postgres, random: new Random(seed), say };
  deployment = await Deployment.start(bench, 3);
  proxied = await Deployment.start(bench, 2, { behindProxy: true });
}, MINUTES);

afterAll(async () => {
  await Promise.all([deployment?.stop(), proxied?.stop()]);
  await bench?.postgres.remove();
  process.stdout.write(`\nTORTURE_SEED=${seed}\n${tableOf(found)}\n\n`);
}, MINUTES);

async function onOldest(crashes: Crashes): Promise<Figures> {
  const postgres = await CrashablePostgres.start({ major: MAJORS[0] });
  try {
    return await eventsThroughCrashes({ ...bench, postgres }, crashes);
  } finally {
    await postgres.remove();
  }
}

const scenarios: [string, () => Promise<Figures | Figures[]>][] = [
  ['one window', () => oneWindow(deployment, 200, 64, 1_000)],
  ['random histories', () => randomHistories(deployment, 20, 5_000)],
  ['one key at once', () => oneKey(deployment, 500, 20)],
  ['altered payloads', () => alteredPayloads(deployment, 500)],
  ['walks while writing', () => walkers(deployment, 200, 1_000)],
  ['replicas killed', () => replicaKills(deployment, 30)],
  ['PostgreSQL stopped at once', () => databaseCrashes(deployment, 10, 'SIGQUIT')],
  ['postmaster killed', () => databaseCrashes(deployment, 10, 'SIGKILL')],
  ['SIGTERM under load', () => terminations(deployment, 20)],
  ['lost requests and responses', () => lostResponses(proxied, 500)],
  ...OUTAGES.map((outage): [string, () => Promise<Figures>] => [
    `database ${outage}`,
    () => outages(proxied, outage, 5),
  ]),
  ['a restore under load', () => restores(bench, 60_000)],
  ['a restore without btree_gist', () => restores(bench, 5_000, false)],
  ['failover', () => failovers(bench, 5, 'on time')],
  ['failover, the forwarder 3 s too early', () => failovers(bench, 5, 'early')],
  ['sabotages', () => sabotages(deployment)],
  ['events through crashes', () => eventsThroughCrashes(bench, { bookings: 20_000, kills: 30, crashes: 6 })],
  ['events through crashes of the oldest PostgreSQL', () => onOldest({ bookings: 10_000, kills: 9, crashes: 4 })],
];

it.each(scenarios)(
  '%s',
  async (name, scenario) => {
    say(name);
    const figures = [await scenario()].flat();
    found.push(...figures);
    expect(figures.flatMap(({ violations }) => violations).slice(0, 20)).toEqual([]);
  },
  20 * MINUTES,
);
