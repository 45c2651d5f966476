import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from 'testing';
import { send } from 'testing/raw-http';
import { Replica } from '../deployment/replica.js';
import { broken, firsts, manners } from './broken-pipelines.js';
import { isBack, vitalsOf } from './vitals.js';
import { WireClient } from './wire-client.js';

/** Long enough that no whole request meets it on a machine that is busy. */
const TIME_LIMIT = 6_000;
/** Connections at one time: more than the combinations that last until the time limit (63), which then pass together. */
const AT_ONCE = 100;
/** Milliseconds until a stop with nothing in flight has ended, on a machine that is busy. */
const STOPPED = 3_000;

const combinations = Object.keys(firsts).flatMap((first) =>
  Object.keys(broken).flatMap((second) => manners.map((manner) => ({ first, second, manner }))),
);

/** @returns what is wrong with the responses */
async function run(url: string, { first, second, manner }: (typeof combinations)[number]): Promise<string[]> {
  const client = await WireClient.open(url);
  client.socket.write(firsts[first]!.bytes + broken[second]!.bytes);
  if (manner === 'leaves') {
    client.socket.destroy();
    return [];
  }
  if (manner === 'resets') {
    await sleep(10);
    client.socket.resetAndDestroy();
    return [];
  }
  if (manner === 'half-closes') client.socket.end();
  const name = `${first}, then ${second}, and the client ${manner}`;
  try {
    const responses = (await client.untilClosed(5 * TIME_LIMIT)).map(({ status }) => status);
    const { statuses } = firsts[first]!;
    const { status } = broken[second]!;
    // What does not end is broken off by a client that ends its side.
    const rejection = manner === 'half-closes' && status === 408 ? 400 : status;
    return responses.join() === [...statuses, rejection].join() ? [] : [`${name}: ${responses.join()}`];
  } catch (error) {
    return [`${name}: ${(error as Error).message.slice(0, 20)}`];
  }
}

it.each(['memory', 'postgres'])(
  `A broken request behind whole ones never hangs: ${combinations.length} combinations on the store %s`,
  async (store) => {
    const database = store === 'postgres' ? await createTestDatabase() : undefined;
    const limits = ['HEADERS_TIMEOUT_MS', 'REQUEST_TIMEOUT_MS', 'KEEP_ALIVE_TIMEOUT_MS'];
    const service = await Replica.start({
      ...Object.fromEntries(limits.map((name) => [name, String(TIME_LIMIT)])),
      ...(database && { DATABASE_URL: database.url }),
    });
    for (const { bytes } of Object.values(firsts)) {
      const client = await WireClient.open(service.url);
      client.socket.end(bytes);
      await client.untilClosed();
    }
    const fresh = await vitalsOf(service.pid);
    const left = [...combinations];
    const wrong: string[] = [];
    const worker = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) wrong.push(...(await run(service.url, next)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(wrong).toEqual([]);

    await isBack(service.pid, fresh, { moreSockets: store === 'postgres' ? 10 : 0 });
    const { text } = await send(service.url, { target: '/metrics' });
    // The one that asks.
    expect(text).toMatch(/^http_requests_in_flight(\{\})? 1$/m);
    const signalled = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - signalled).toBeLessThan(STOPPED);
    await database?.drop();
  },
);
