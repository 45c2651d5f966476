import { CrashablePostgres } from './deployment/crashable-postgres.js';
import { type Bench, Deployment } from './deployment/deployment.js';
import { isLong, RECOVERY } from './limits.js';
import { chooseSeed, Random } from './random.js';
import { absentStandbys } from './scenarios/absent-standbys.js';
import { oneKey, oneWindow } from './scenarios/contention.js';
import { crashes } from './scenarios/crashes.js';
import { eventsThroughCrashes } from './scenarios/events.js';
import { failovers } from './scenarios/failovers.js';
import { type Figures, tableOf } from './scenarios/figures.js';
import { lostResponses } from './scenarios/lost-responses.js';
import { OUTAGES, outages } from './scenarios/outages.js';
import { randomHistories } from './scenarios/random-histories.js';
import { restore } from './scenarios/restores.js';
import { sabotages } from './scenarios/sabotages.js';
import { terminations } from './scenarios/terminations.js';
import { walkers } from './scenarios/walkers.js';

const seed = chooseSeed();
const MINUTES = 60_000;
const found = new Map<string, Figures>();
let bench: Bench;
let deployment: Deployment;

beforeAll(async () => {
  bench = { postgres: await CrashablePostgres.start(), random: new Random(seed) };
  deployment = await Deployment.start(bench, 3);
}, 2 * MINUTES);

afterAll(async () => {
  await deployment?.stop();
  await bench?.postgres.stop('SIGQUIT');
  if (isLong) process.stdout.write(`\nTORTURE_SEED=${seed}\n${tableOf(found)}\n\n`);
}, MINUTES);

type Scenario = [name: string, run: () => Promise<Figures>];

/** Runs a scenario on an empty database, and checks all of its calls. */
async function checked(running: (shared: Deployment) => Promise<Figures>): Promise<Figures> {
  await deployment.clear();
  const figures = await running(deployment);
  const { slowest } = deployment.history;
  return { slowest, ...figures, violations: [...figures.violations, ...(await deployment.check())] };
}

const killedReplicas = (times: number): Scenario => [
  'kill -9 of a replica',
  () => checked((shared) => crashes(shared, 'replica', times)),
];

const longForm: Scenario[] = [
  ['one window', () => checked((shared) => oneWindow(shared, 200, 64))],
  ['random histories', () => randomHistories(deployment, 20, 5_000)],
  ['one key at once', () => checked((shared) => oneKey(shared, 1_000, 20))],
  ['walks while writing', () => checked((shared) => walkers(shared, 200, 1_000))],
  killedReplicas(30),
  ['immediate stop of PostgreSQL', () => checked((shared) => crashes(shared, 'SIGQUIT', 10))],
  ['kill -9 of the postmaster', () => checked((shared) => crashes(shared, 'SIGKILL', 10))],
  ['SIGTERM under load', () => checked((shared) => terminations(shared, 20))],
  ['lost requests and responses', () => checked((shared) => lostResponses(shared, 500))],
  ...OUTAGES.map((outage): Scenario => [`database ${outage}`, () => checked((shared) => outages(shared, outage, 5))]),
  ['sabotages', () => sabotages(deployment)],
  ['events through crashes', () => eventsThroughCrashes(bench, 20_000, 30, 6)],
  ['a restore under load', () => restore(deployment, 60_000)],
  ['failover', () => failovers(bench, 5, 'on time')],
  ['failover, the proxy 3 s too early', () => failovers(bench, 5, 'early')],
  ['a standby away', () => absentStandbys(bench, 5)],
];

it.each(isLong ? longForm : [killedReplicas(1)])(
  `The promises are kept (TORTURE_SEED=${seed}): %s`,
  async (name, scenario) => {
    if (isLong) process.stdout.write(`TORTURE_SEED=${seed}: ${name}\n`);
    const figures = await scenario();
    found.set(name, figures);
    expect(figures.violations.slice(0, 20)).toEqual([]);
    expect(figures.recovery ?? 0).toBeLessThan(RECOVERY);
  },
  20 * MINUTES,
);
