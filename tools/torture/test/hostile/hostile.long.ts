import { setTimeout as sleep } from 'node:timers/promises';
import type { BookingDto } from '@booking-service/contracts';
import { RawConnection, type RawResponse, ServiceProcess, until } from 'testing';
import { expectContract } from 'testing/contract';
import { head, send } from 'testing/raw-http';
import { atOnce } from '../at-once.js';
import { checkIdempotency } from '../checks/check-creates.js';
import { checkRecency, checkWalks } from '../checks/check-reads.js';
import { checkResponses } from '../checks/check-responses.js';
import { History } from '../checks/history.js';
import { endOf } from '../deployment/deployment.js';
import { RecordingClient } from '../deployment/recording-client.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { chooseSeed, Random } from '../random.js';
import { mutatedRequest } from './mutations.js';
import { isBackAt, peakMemoryOf, vitalsOf } from './vitals.js';

const seed = chooseSeed();
/** MiB of the heap: a leak of a few KiB per request would end the process. */
const HEAP = 64;
/** MiB outside the heap: the program, its stacks and its buffers. */
const OUTSIDE_HEAP = 160;
const REQUESTS = 15_000;
const REQUEST_TIMEOUT = 4_000;
const RESPONSE_TIMEOUT = 3_000;
/** Maximum 99th percentile of an honest client's response times in milliseconds, while two cores run everything. */
const HONEST_P99 = 1_000;

/** A page of about 1 MiB: the bookings that were made first. */
const LARGE_PAGE = head('GET /v1/bookings?limit=100&sort=created_at');

let service: ServiceProcess;
let filesBefore: number;
const acknowledged = new Set<string>();
const honest = new RecordingClient(new History());
let beingHonest: Promise<void>;
const over = new AbortController();

beforeAll(async () => {
  service = await ServiceProcess.start({
    NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
    REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT),
    RESPONSE_TIMEOUT_MS: String(RESPONSE_TIMEOUT),
  });
  const large = { ...newPayload(), note: 'x'.repeat(60_000) };
  for (let count = 0; count < 20; count++) await honest.create(service.url, large);
  honest.close();
  for (const target of ['/docs', '/metrics', '/openapi.json']) await send(service.url, { target });
  filesBefore = (await vitalsOf(service.url)).files;
  beingHonest = beHonest();
});

afterAll(async () => {
  over.abort();
  await beingHonest;
  await service.stop('SIGKILL');
});

async function beHonest(): Promise<void> {
  for (let round = 0; !over.signal.aborted; round++) {
    const resource = `honest ${round}`;
    const key = `honest-${round}`;
    const payload = newPayload(slotAt(resource, 9));
    const { bookingId } = await honest.create(service.url, payload, key);
    await honest.create(service.url, payload, key);
    await honest.get(service.url, bookingId ?? 'none');
    await honest.list(service.url, resource);
    await sleep(10);
  }
}

/** Checks the rules that hold for every response. */
function expectWhole(response: RawResponse): void {
  const { status, text } = response;
  const { instance = '', booking_id } = JSON.parse(text || '{}') as { instance?: string } & Partial<BookingDto>;
  expect(status).toBeLessThan(500);
  expectContract({ ...response, method: text === '' ? 'HEAD' : 'ANY', target: instance });
  if (status === 201) acknowledged.add(booking_id!);
}

it(`A mutated request gets a whole response, or none (TORTURE_SEED=${seed})`, async () => {
  const random = new Random(seed);
  let left = REQUESTS;
  await atOnce(6, async () => {
    while (left-- > 0) {
      const bytes = mutatedRequest(random);
      try {
        const connection = await RawConnection.open(service.url);
        connection.socket.end(bytes);
        (await connection.untilClosed()).forEach(expectWhole);
      } catch (error) {
        const about = JSON.stringify(bytes.toString('latin1'));
        throw new Error(`${(error as Error).message}\n\nfor ${about}`, { cause: error });
      }
    }
  });
}, 3_600_000);

/** Clients that request more than the kernel buffers: some read, some leave, and some do neither. */
async function requestPages(clients: number): Promise<RawConnection[]> {
  const requests = [LARGE_PAGE, ...Array<string>(6).fill(head('GET /docs/swagger-ui-bundle.js'))];
  return atOnce(clients, async (index) => {
    const client = await RawConnection.open(service.url, { reads: index % 2 === 0 });
    // Pauses between requests: a request that waits for an earlier response is the last of its connection.
    for (const bytes of requests) {
      client.socket.write(bytes);
      await sleep(100 + (index % 7));
    }
    if (index % 3 === 0) client.socket.resetAndDestroy();
    else if (index % 3 === 1) client.socket.destroy();
    return client;
  });
}

it('Clients that leave, or do not read, leave nothing open', async () => {
  const clients = await requestPages(60);
  over.abort();
  await beingHonest;
  honest.close();
  await until(() => isBackAt(filesBefore, service.url));
  for (const { socket } of clients) socket.destroy();
});

it('Honest clients are served meanwhile, in a process that does not grow and keeps nothing else', async () => {
  const { history } = honest;
  const { bookingIds } = await honest.walk([service.url], {}, 100);
  expect(bookingIds.toSorted()).toEqual([...history.bookings.keys(), ...acknowledged].toSorted());
  const sorted = history.durations.toSorted((a, b) => a - b);
  const failed = history.calls.filter(({ response }) => response === undefined || response.status >= 300);
  const broken = [checkIdempotency(history, []), checkRecency(history), checkWalks(history), checkResponses(history)];
  expect([...failed, ...endOf(service), ...broken.flat()]).toEqual([]);
  expect(sorted.length).toBeGreaterThan(10);
  expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(HONEST_P99);
  expect(peakMemoryOf(service.child.pid!)).toBeLessThan(HEAP + OUTSIDE_HEAP);
});

it('A client that reads slowly and steadily gets all of its pages', async () => {
  const client = await RawConnection.open(service.url, { reads: false });
  client.socket.write(LARGE_PAGE.repeat(2));
  const start = performance.now();
  let bytes = 0;
  for await (const chunk of client.socket as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    await sleep(250);
  }
  expect(performance.now() - start).toBeGreaterThan(2 * RESPONSE_TIMEOUT);
  expect(bytes).toBeGreaterThan(2_000_000);
});
