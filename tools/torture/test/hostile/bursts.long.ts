import { setTimeout as sleep } from 'node:timers/promises';
import { LocalPostgres, RawConnection, ServiceProcess } from 'testing';
import { head } from 'testing/raw-http';
import { atOnce } from '../at-once.js';
import { memoryOf, peakMemoryOf } from './vitals.js';

const FLAGS = ['--max-old-space-size=256', '--max-semi-space-size=16'];
/** Maximum MiB of resident memory: at its peak, and at rest. */
const MAX_MEMORY = 400;
const MAX_AT_REST = 200;
/** Milliseconds to wait until V8 has collected the garbage of an idle process, which takes up to 100 s on Node 24. */
const REST = 120_000;

const BURSTS = 3;
const CLIENTS = 1_900;
const HONEST = 5;

/** A page of 1 MiB, with as many of the 30 bookings of 60 kB as fit. */
const LARGE_PAGE = head('GET /v1/bookings?limit=100');
const LARGE = JSON.stringify({ note: 'é'.repeat(30_000) });

let postgres: LocalPostgres;

beforeAll(async () => {
  postgres = await LocalPostgres.start();
  await postgres.createDatabase('bursts');
});
afterAll(() => postgres.stop());

/** Sends a request on many connections, and resets them without reading. */
async function burst(url: string): Promise<void> {
  const clients = await atOnce(CLIENTS, async () => {
    const client = await RawConnection.open(url, { reads: false });
    client.socket.write(LARGE_PAGE);
    return client;
  });
  for (const { socket } of clients) socket.resetAndDestroy();
}

async function statusOf(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(`${url}/v1/bookings?limit=1`, init);
  await response.text();
  return response.status;
}

describe('Bursts of clients that request pages of 1 MiB and leave', () => {
  it.each(['memory', 'PostgreSQL'])(
    'neither grow the process nor keep honest clients from being served, with the store in %s',
    async (store) => {
      const env = store === 'memory' ? {} : { DATABASE_URL: postgres.url('bursts') };
      const service = await ServiceProcess.start(env, FLAGS);
      const { url, child } = service;
      const headers = { 'Content-Type': 'application/json' };
      for (let count = 0; count < 30; count++) await statusOf(url, { method: 'POST', headers, body: LARGE });
      const statuses: number[][] = [];
      for (let count = 0; count < BURSTS; count++) {
        await burst(url);
        const afterBurst: number[] = [];
        for (let read = 0; read < HONEST; read++) afterBurst.push(await statusOf(url));
        statuses.push(afterBurst);
      }
      await sleep(REST);
      const most = peakMemoryOf(child.pid!);
      const atRest = memoryOf(child.pid!);
      const rejected = service.lines.filter(({ status }) => status === 503);
      await service.stop('SIGKILL');
      const figures = `${most} MiB at most, ${atRest} two minutes later, reads ${statuses.join(' ')}`;
      process.stdout.write(`Bursts, ${process.version}, ${store}: ${figures}\n`);
      for (const afterBurst of statuses) expect(afterBurst).toContain(200);
      expect(statuses.flat().filter((status) => status !== 200 && status !== 503)).toEqual([]);
      // A list may wait behind others until a time limit.
      for (const { cause } of rejected) expect(cause).toMatch(/ timeout$/);
      expect(most).toBeLessThan(MAX_MEMORY);
      expect(atRest).toBeLessThan(MAX_AT_REST);
    },
    600_000,
  );
});

/** 99 bookings just below a hundredth of a page, with a letter that takes V8 two bytes a character, and a larger one. */
const MIX = [...Array.from({ length: 99 }, () => 10_150), 20_000].map((length) => `ł${'x'.repeat(length)}`);

/** Sends a request, and reads its response without keeping it. @returns its status; undefined if there was none */
async function read(url: string): Promise<number | undefined> {
  const { socket } = await RawConnection.open(url, { reads: false });
  const closed = new Promise<undefined>((resolve) => socket.once('close', () => resolve(undefined)));
  const begun = new Promise<number>((resolve) =>
    socket.once('data', (data: Buffer) => resolve(Number(data.toString('latin1', 9, 12)))),
  );
  socket.on('data', () => {}).once('end', () => socket.end());
  socket.write(LARGE_PAGE);
  const status = await Promise.race([begun, closed]);
  if (status !== undefined) setTimeout(() => socket.destroy(), 1_000);
  return status;
}

describe('Connections that request a page with a large booking at once', () => {
  beforeAll(() => postgres.createDatabase('mix'));

  it.each([
    [500, 'default', {}],
    [1_900, 'default', {}],
    [500, '60 s', { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' }],
    [1_900, '60 s', { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' }],
  ])(
    'do not end the process, and some are served: %i, with the time limits of the database at %s',
    async (count, limits, env) => {
      const service = await ServiceProcess.start({ ...env, DATABASE_URL: postgres.url('mix') }, FLAGS);
      const { url, child } = service;
      const headers = { 'Content-Type': 'application/json' };
      const { bookings } = (await (await fetch(`${url}/v1/bookings`)).json()) as { bookings: unknown[] };
      for (const note of bookings.length === 0 ? MIX : []) {
        expect(await statusOf(url, { method: 'POST', headers, body: JSON.stringify({ note }) })).toBe(201);
      }
      const statuses = await atOnce(count, () => read(url));
      const served = statuses.filter((status) => status === 200).length;
      const most = peakMemoryOf(child.pid!);
      process.stdout.write(
        `Mix, ${process.version}, ${limits}: ${count} asked, ${served} served, ${most} MiB at most\n`,
      );
      expect(served).toBeGreaterThan(0);
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(await statusOf(url)).toBe(200);
      expect(most).toBeLessThan(MAX_MEMORY);
      await service.stop('SIGKILL');
    },
    600_000,
  );
});
