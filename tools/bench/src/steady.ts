import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { quantile } from './figures.js';
import type { Steady, SteadyResult } from './load.js';
import { headersOf, RequestSource } from './request-source.js';

/**
 * Sends requests at a fixed rate, each at its time, on as many connections as that takes. Not
 * autocannon: its rate is a burst of every connection at the start of each second, and its latencies
 * are whole milliseconds.
 */
export async function runSteady({ url, requests, status, rate, seconds }: Steady): Promise<SteadyResult> {
  const agent = new Agent({ keepAlive: true });
  const source = new RequestSource(requests);
  const latencies: number[] = [];
  const pending = new Set<Promise<void>>();
  let fault: Error | undefined;
  const send = async (): Promise<void> => {
    const next = source.next();
    const headers = headersOf(next);
    const sent = performance.now();
    const outgoing = request(url + next.path, { agent, method: requests.method, headers }).end(next.body);
    const [response] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage];
    await once(response.resume(), 'end');
    latencies.push(performance.now() - sent);
    if (response.statusCode !== status) throw new Error(`${next.path} at a fixed rate: ${response.statusCode}`);
  };
  const start = performance.now();
  for (let index = 0; index < rate * seconds;) {
    // A loop that only looks at the clock: the generator has its core to itself, and a timer is a millisecond late.
    if (performance.now() < start + (index * 1_000) / rate) {
      await turn();
      continue;
    }
    const sending = send()
      .catch((error: unknown) => void (fault ??= error as Error))
      .finally(() => pending.delete(sending));
    pending.add(sending);
    index++;
  }
  await Promise.all(pending);
  agent.destroy();
  if (fault !== undefined) throw fault;
  return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), nextNumber: source.nextNumber };
}
