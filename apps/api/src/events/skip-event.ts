import { setTimeout as sleep } from 'node:timers/promises';
import { uuidv7 } from 'uuidv7';
import { EndpointProgress } from './endpoint-progress.js';
import type { EventStore } from './event-store.js';
import type { BookingEvent } from './event.js';
import { Lease } from './lease.js';
import type { Endpoint } from './webhooks-file.js';

const CLAIM_INTERVAL = 100;

/**
 * Parks the event that an endpoint is stopped at, and has those after it sent at once. An attempt that is under way is
 * waited for.
 *
 * @param timeout milliseconds for that
 * @throws Error where the endpoint is not stopped
 */
export async function skipEvent(store: EventStore, endpoint: Endpoint, timeout: number): Promise<BookingEvent> {
  const { name, prefix } = endpoint;
  const end = performance.now() + timeout;
  for (const owner = uuidv7(); ; await sleep(CLAIM_INTERVAL)) {
    const state = (await store.states()).find((candidate) => candidate.name === name);
    if (state === undefined) throw new Error(`endpoint ${name} is unknown.`);
    if (state.endedUrl === endpoint.url) throw new Error(`${name} has ended: its URL responded 410.`);
    if (state.progress.failures === 0) throw new Error(`${name} is not stopped.`);
    const claimed = await Lease.claim(store, endpoint, owner, () => {}, true);
    if (claimed === undefined) {
      if (performance.now() > end) throw new Error(`an attempt at ${name} does not end. Try again.`);
      continue;
    }
    const progress = new EndpointProgress(claimed.progress);
    try {
      if (progress.failures === 0) throw new Error(`${name} is not stopped.`);
      // Those that are sent first when the pause is over.
      const [deferred] = (await store.readDeferred(name)).events;
      const { events, held } = await store.read(name, progress.position, prefix);
      const event = deferred?.event ?? events.find(({ sequence }) => !held.has(sequence));
      if (event === undefined) throw new Error(`${name} has received everything.`);
      await store.park(name, event, 'skipped');
      return event;
    } finally {
      await claimed.lease.release(progress);
    }
  }
}
