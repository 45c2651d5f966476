import { setTimeout as sleep } from 'node:timers/promises';
import { send } from 'testing/raw-http';
import { Replica } from '../deployment/replica.js';
import { durationOf, isBack, type Vitals, vitalsOf } from './vitals.js';
import { WireClient } from './wire-client.js';

/** Milliseconds that a request of another client may take meanwhile. */
const SLOWEST = 1_000;
/** MiB that may be left of a flood. */
const LEFT = 128;

const smallest = 'GET / HTTP/1.1\r\nHost:\r\n\r\n';
const create =
  'POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n';

interface Flood {
  readonly connections: number;
  readonly bytes: string;
  /** The status of each response. */
  readonly status: number;
  /** At most, on each connection. */
  readonly responses: number;
}

const floods: Record<string, Flood> = {
  'pipelines of the smallest requests': { connections: 100, bytes: smallest.repeat(5_000), status: 404, responses: 17 },
  'the same after a request that is rejected': {
    connections: 100,
    bytes: 'GET / HTTP/1.1\r\n\r\n'.repeat(20_000),
    status: 400,
    responses: 1,
  },
  'creates with 16,000 headers whose body does not come': {
    connections: 420,
    bytes: `${create}${'a:\r\n'.repeat(16_000)}\r\n`,
    status: 431,
    responses: 1,
  },
};

describe('A heap of 256 MiB is enough for', () => {
  let service: Replica;
  let fresh: Vitals;

  beforeAll(async () => {
    service = await Replica.start({ NODE_OPTIONS: '--max-old-space-size=256' });
    await send(service.url, { target: '/health/live' });
    fresh = await vitalsOf(service.pid);
  });

  afterAll(() => service.stop());

  it.each(Object.entries(floods))('%s, and other clients are served', async (_, flood) => {
    const clients = await Promise.all(Array.from({ length: flood.connections }, () => WireClient.open(service.url)));
    const flooded = Promise.all(
      clients.map((client) => {
        client.socket.write(flood.bytes);
        return client.untilClosed();
      }),
    );
    let slowest = 0;
    for (let isOver = false; !isOver; isOver = await Promise.race([flooded.then(() => true), sleep(10, false)])) {
      const duration = await durationOf(service.pid, async () => {
        expect((await send(service.url, { target: '/health/live' })).status).toBe(200);
      });
      slowest = Math.max(slowest, duration);
    }
    expect(slowest).toBeLessThan(SLOWEST);
    for (const responses of await flooded) {
      expect(responses.length).toBeLessThanOrEqual(flood.responses);
      for (const { status } of responses) expect(status).toBe(flood.status);
    }
    expect(service.faults).toEqual([]);
    await isBack(service.pid, fresh, { moreMib: LEFT });
  });
});
