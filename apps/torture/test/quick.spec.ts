import { CrashablePostgres } from './deployment/crashable-postgres.js';
import { type Bench, Deployment } from './deployment/deployment.js';
import type { Figures } from './scenarios/figures.js';
import { chooseSeed, Random } from './random.js';
import { databaseCrashes, replicaKills } from './scenarios/crashes.js';
import { eventsThroughCrashes } from './scenarios/events.js';
import { lostResponses } from './scenarios/lost-responses.js';
import { alteredPayloads, oneKey } from './scenarios/one-key.js';
import { oneWindow } from './scenarios/one-window.js';
import { OUTAGES, outages } from './scenarios/outages.js';
import { randomHistories } from './scenarios/random-histories.js';
import { restores } from './scenarios/restores.js';
import { sabotages } from './scenarios/sabotages.js';
import { terminations } from './scenarios/terminations.js';
import { walkers } from './scenarios/walkers.js';

/** A quick form of `torture.long.ts`. */
const seed = chooseSeed();
let bench: Bench;
let deployment: Deployment;
/** With a proxy between the service and PostgreSQL. */
let proxied: Deployment;

beforeAll(async () => {
  const postgres = await CrashablePostgres.start();
  bench = { postgres, random: new Random(seed), say: () => {} };
  deployment = await Deployment.start(bench, 3);
  proxied = await Deployment.start(bench, 2, { behindProxy: true });
});

afterAll(async () => {
  await Promise.all([deployment?.stop(), proxied?.stop()]);
  await bench?.postgres.remove();
});

function expectNoViolations({ violations }: Figures): void {
  expect(violations.slice(0, 10)).toEqual([]);
}

describe(`Three replicas on one database keep the promises (TORTURE_SEED=${seed})`, () => {
  const scenarios: [string, () => Promise<Figures>][] = [
    ['over random histories', () => randomHistories(deployment, 1, 600)],
    ['when 64 clients want one window', () => oneWindow(deployment, 2, 64, 60_000)],
    ['when one key comes 20 times at once', () => oneKey(deployment, 5, 20)],
    ['when one key comes with several payloads', () => alteredPayloads(deployment, 5)],
    ['to walkers, while others write', () => walkers(deployment, 8, 200)],
    ['when a replica is killed', () => replicaKills(deployment, 1)],
    ['when PostgreSQL stops at once', () => databaseCrashes(deployment, 1, 'SIGQUIT')],
    ['when the postmaster is killed', () => databaseCrashes(deployment, 1, 'SIGKILL')],
    [
      'and notify endpoints of every booking',
      () => eventsThroughCrashes(bench, { bookings: 500, kills: 2, crashes: 1 }),
    ],
    ['when requests and responses are lost', () => lostResponses(proxied, 30)],
    ['while a backup is restored meanwhile', () => restores(bench, 500)],
  ];
  it.each(scenarios)('%s', async (_, scenario) => expectNoViolations(await scenario()));

  it('to clients whose requests are in flight at a SIGTERM', async () => {
    expectNoViolations(await terminations(deployment, 1));
  });

  it.each(OUTAGES)('and respond in time when the database is %s, and recover', async (outage) => {
    expectNoViolations(await outages(proxied, outage, 1));
  });
});

it('A promise that is broken on purpose is caught', async () => {
  const figures = await sabotages(deployment);
  expect(figures.flatMap(({ violations }) => violations)).toEqual([]);
});
