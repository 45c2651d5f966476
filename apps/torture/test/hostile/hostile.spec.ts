import { setTimeout as sleep } from 'node:timers/promises';
import type { BookingDto, BookingPageDto } from '@booking-service/contracts';
import { converse, RawConnection, type RawResponse, until } from 'testing';
import { expectContract } from 'testing/contract';
import { head, send } from 'testing/raw-http';
import { Replica } from '../deployment/replica.js';
import { isLong, limitOf, times } from '../limits.js';
import { chooseSeed, Random } from '../random.js';
import { HonestClient } from './honest-client.js';
import { mutatedRequest } from './mutations.js';
import { insist, stubbornClients } from './stubborn-clients.js';
import { isBackAt, peakMemoryOf, type Vitals, vitalsOf } from './vitals.js';

const seed = chooseSeed();
/** MiB that the heap of the service may grow to. A leak of a few KiB a request ends the process. */
const HEAP = 64;
/** MiB in addition to the heap: the program, its stacks, its buffers. */
const OUTSIDE_HEAP = 160;
const REQUESTS = times(300, 15_000);
/** Hostile requests at one time. */
const AT_ONCE = 6;
const REQUEST_TIMEOUT = 2_000;
const RESPONSE_TIMEOUT = 1_500;
/** Milliseconds in which an honest client has its response, on a machine that has two cores for all of this. */
const HONEST_P99 = limitOf(1_000);
const HOUR = 3_600_000;

/** A page of about 1 MiB: the bookings that were made first. */
const LARGE_PAGE = head('GET /v1/bookings?limit=100&sort=created_at');

// Every `expect` makes an error with a stack, also where it holds: a third of the whole time.
Error.stackTraceLimit = 5;

let service: Replica;
let fresh: Vitals;
let honest: HonestClient;
/** The bookings of which hostile clients got a 201. */
const acknowledged = new Set<string>();

beforeAll(async () => {
  service = await Replica.start({
    NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
    HEADERS_TIMEOUT_MS: '1500',
    REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT),
    RESPONSE_TIMEOUT_MS: String(RESPONSE_TIMEOUT),
  });
  const [headers, body] = [{ 'Content-Type': 'application/json' }, JSON.stringify({ note: 'x'.repeat(60_000) })];
  for (let count = 0; count < 20; count++)
    keepIfBooked(await send(service.url, { method: 'POST', target: '/v1/bookings', headers, body }));
  // Files that are loaded once are counted as there.
  for (const target of ['/docs', '/metrics', '/openapi.json']) await send(service.url, { target });
  fresh = await vitalsOf(service.pid);
  honest = new HonestClient(service.url);
});

afterAll(async () => {
  await honest.stop();
  await service.stop('SIGKILL');
});

function keepIfBooked({ status, text }: RawResponse): void {
  if (status === 201) acknowledged.add((JSON.parse(text) as BookingDto).booking_id);
}

/** Checks a response to bytes, whose method and target may be open, by what all responses have in common. */
function expectWhole(response: RawResponse): void {
  const { instance = '' } = (response.text === '' ? {} : JSON.parse(response.text)) as { instance?: string };
  expect(response.status).toBeLessThan(500);
  expectContract({ ...response, method: response.text === '' ? 'HEAD' : 'ANY', target: instance });
  keepIfBooked(response);
}

it(
  `Bytes that were a request get a whole response, or none (TORTURE_SEED=${seed})`,
  async () => {
    const random = new Random(seed);
    let left = REQUESTS;
    const sender = async (): Promise<void> => {
      while (left-- > 0) {
        const bytes = mutatedRequest(random);
        try {
          (await converse(service.url, bytes)).forEach(expectWhole);
        } catch (error) {
          const about = JSON.stringify(bytes.toString('latin1'));
          throw new Error(`${(error as Error).message}\n\nfor ${about}`, { cause: error });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
  },
  HOUR,
);

it('A client that never ends its request gets a response, and is disconnected', async () => {
  const start = performance.now();
  const endings = stubbornClients.flatMap((client) =>
    Array.from({ length: client.clients }, async () => ({ client, responses: await insist(service.url, client) })),
  );
  for (const { client, responses } of await Promise.all(endings)) {
    responses.forEach(expectWhole);
    const { what, statuses, fewest, most } = client;
    const wrong = responses.map(({ status }) => status).filter((status) => !statuses.includes(status));
    const isInNumber = fewest <= responses.length && responses.length <= most;
    expect({ what, wrong, isInNumber }).toEqual({ what, wrong: [], isInNumber: true });
  }
  // Node checks once a second.
  expect(performance.now() - start).toBeLessThan(REQUEST_TIMEOUT + limitOf(5_000));
});

/** Clients that pipeline, of which some read, some leave, and some do neither. */
async function pipeline(clients: number): Promise<RawConnection[]> {
  const requests = [head('GET /docs/swagger-ui-bundle.js'), LARGE_PAGE, head('GET /v1/bookings')];
  const opening = Array.from({ length: clients }, async (_, index) => {
    const client = await RawConnection.open(service.url, { reads: index % 2 === 0 });
    client.socket.write(requests.join('').repeat(10));
    await sleep(index % 7);
    if (index % 3 === 0) client.socket.resetAndDestroy();
    else if (index % 3 === 1) client.socket.destroy();
    return client;
  });
  return Promise.all(opening);
}

it('Nothing is left of clients that pipeline and leave, or do not read', async () => {
  const clients = await pipeline(60);
  await honest.stop();
  await until(() => isBackAt(fresh, service.pid));
  for (const { socket } of clients) socket.destroy();
});

it('Nothing is kept but what was acknowledged', async () => {
  const kept = new Set<string>();
  for (let target = '/v1/bookings?limit=100'; target !== '';) {
    const { bookings, next_cursor } = JSON.parse((await send(service.url, { target })).text) as BookingPageDto;
    for (const { booking_id } of bookings) kept.add(booking_id);
    target = next_cursor === null ? '' : `/v1/bookings?limit=100&cursor=${next_cursor}`;
  }
  expect([...kept].toSorted()).toEqual([...honest.bookingIds, ...acknowledged].toSorted());
});

it('Honest clients are served meanwhile, in a process that does not grow', () => {
  const sorted = honest.durations.toSorted((a, b) => a - b);
  expect(service.faults).toEqual([]);
  expect(sorted.length).toBeGreaterThan(10);
  expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(HONEST_P99);
  expect(peakMemoryOf(service.pid)).toBeLessThan(HEAP + OUTSIDE_HEAP);
});

// How soon a client reads depends on the machine.
if (isLong) {
  it('A client that reads slowly and steadily gets all of its pages', async () => {
    const client = await RawConnection.open(service.url, { reads: false });
    client.socket.write(LARGE_PAGE.repeat(2));
    const start = performance.now();
    let bytes = 0;
    for (let chunk: Buffer | null = null; !client.socket.readableEnded; chunk = client.socket.read(65_536) as Buffer) {
      bytes += chunk?.length ?? 0;
      await sleep(150);
    }
    client.socket.destroy();
    expect(performance.now() - start).toBeGreaterThan(2 * RESPONSE_TIMEOUT);
    expect(bytes).toBeGreaterThan(2_000_000);
  });
}

it('SIGTERM ends it, with clients that have left, that do not read and that wait', async () => {
  const clients = await pipeline(20);
  expect(await service.stop()).toBe(0);
  for (const { socket } of clients) socket.destroy();
});
