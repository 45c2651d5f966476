import autocannon from 'autocannon';
import type { Burst, BurstResult } from './load.js';
import { headersOf, RequestSource } from './request-source.js';

/** Sends a number of requests with autocannon, one at a time on each connection. */
export async function runBurst({
  url,
  requests,
  status,
  amount,
  connections,
  idEvery = 0,
}: Burst): Promise<BurstResult> {
  const source = new RequestSource(requests);
  const { method } = requests;
  const ids: string[] = [];
  let received = 0;
  const keepId = (_status: number, body: string): void => {
    if (received++ % idEvery === 0) ids.push(idOf(body));
  };
  const start = performance.now();
  const result = await autocannon({
    url,
    amount,
    connections,
    // It ends at the first of these intervals after the last response; the default is a second.
    sampleInt: 10,
    requests: [
      {
        method,
        setupRequest: (request) => {
          const next = source.next();
          // Not its own `headers`: they would pile up from one request to the next.
          return { ...request, path: next.path, body: next.body, headers: headersOf(next) };
        },
        ...(idEvery > 0 && { onResponse: keepId }),
      },
    ],
  });
  const seconds = (performance.now() - start) / 1_000;
  const expected = result.statusCodeStats?.[`${status}`]?.count ?? 0;
  if (expected !== amount || result.errors > 0 || result.timeouts > 0) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(
      `${expected} of ${amount} responses to ${method} ${url} are ${status}: ${statuses}, ${result.errors} errors`,
    );
  }
  return { seconds, ids, nextNumber: source.nextNumber };
}

function idOf(body: string): string {
  const { booking_id, id } = JSON.parse(body) as { booking_id?: string; id?: string | number };
  return String(booking_id ?? id);
}
