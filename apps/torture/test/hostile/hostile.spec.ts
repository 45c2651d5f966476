import { Agent } from 'node:http';
import type { BookingDto, BookingPageDto } from '@booking-service/contracts';
import { expectContract } from 'testing/contract';
import { send } from 'testing/raw-http';
import { chooseSeed, Random } from '../random.js';
import { Replica } from '../deployment/replica.js';
import { converse, type WireResponse } from './wire-client.js';
import { HonestClient } from './honest-client.js';
import { hostileRequests } from './hostile-requests.js';
import { mutatedRequest } from './mutations.js';
import { insist, stubbornClients } from './slow-clients.js';
import { wireCases } from './wire-cases.js';

const seed = chooseSeed('HOSTILE_SEED');
/** MiB that the heap of the service may grow to. A leak of a few KiB a request ends the process. */
const heap = Number(process.env['HOSTILE_HEAP_MIB'] ?? 64);
const size = Number(process.env['HOSTILE_REQUESTS'] ?? 3_000);

/** Milliseconds that so many requests may take. */
const TIME_LIMIT = Math.max(120_000, 20 * size);
/** Hostile requests at one time. */
const AT_ONCE = 6;
const HEADERS_TIMEOUT = 1_500;
const REQUEST_TIMEOUT = 2_000;
/** Milliseconds beyond it: Node checks once a second, and the machine is busy. */
const CLOSED_WITHIN = 5_000;
/** Milliseconds in which an honest client has its response, on a machine that has two cores for all of this. */
const HONEST_P99 = 1_000;
/** MiB in addition to the heap: the program, its stacks, its buffers. */
const BESIDE_HEAP = 160;

// Every `expect` makes an error with a stack, also where it holds: a third of the whole time.
Error.stackTraceLimit = 5;

let service: Replica;
let honest: HonestClient;
/** The bookings of which hostile clients got a 201. */
const acknowledged = new Set<string>();

beforeAll(async () => {
  process.stdout.write(`HOSTILE_SEED=${seed} HOSTILE_HEAP_MIB=${heap} HOSTILE_REQUESTS=${size}\n`);
  service = await Replica.start({
    NODE_OPTIONS: `--max-old-space-size=${heap}`,
    HEADERS_TIMEOUT_MS: String(HEADERS_TIMEOUT),
    REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT),
  });
  honest = new HonestClient(service.url);
  honest.start();
});
afterAll(async () => {
  await honest.stop();
  await service.stop();
});

/** Runs `work` for every item, some at a time. */
async function forEach<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Holds a response to bytes, whose method and target may be open, against what every response keeps. */
function expectWhole(response: WireResponse): void {
  const { instance = '' } = (response.text === '' ? {} : JSON.parse(response.text)) as { instance?: string };
  expect(response.status).toBeLessThan(500);
  expectContract({ ...response, method: response.text === '' ? 'HEAD' : 'ANY', target: instance });
}

it(
  'A request that breaks a rule is rejected as the rule says',
  async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    await forEach(hostileRequests(new Random(seed), size), async ({ what, request, statuses }) => {
      const { status, text } = await send(service.url, { ...request, agent });
      if (!statuses.includes(status)) {
        throw new Error(`${what}: ${status} for ${JSON.stringify(request).slice(0, 2_000)}, with ${text}`);
      }
    });
    agent.destroy();
  },
  TIME_LIMIT,
);

it(
  'Bytes that were a request get a whole response, or none',
  async () => {
    const random = new Random(seed);
    const requests = Array.from({ length: size / 2 }, () => mutatedRequest(random));
    await forEach(requests, async (bytes) => {
      const about = JSON.stringify(bytes.toString('latin1'));
      for (const response of await converse(service.url, bytes)) {
        try {
          expectWhole(response);
        } catch (error) {
          throw new Error(`${(error as Error).message}\n\nfor ${about}`, { cause: error });
        }
        if (response.status === 201) acknowledged.add((JSON.parse(response.text) as BookingDto).booking_id);
      }
    });
  },
  TIME_LIMIT,
);

it.each(wireCases)('On the wire: %s', async (_, bytes, ...statuses) => {
  const responses = await converse(service.url, Buffer.from(bytes, 'latin1'));
  responses.forEach(expectWhole);
  expect(responses.map(({ status }) => status)).toEqual(statuses);
  for (const { status, text } of responses) {
    if (status === 201) acknowledged.add((JSON.parse(text) as BookingDto).booking_id);
  }
});

it('A client that never ends its request gets a response, and is disconnected', async () => {
  const endings = Object.entries(stubbornClients).flatMap(([what, client]) =>
    Array.from({ length: client.clients }, async () => ({ what, client, ...(await insist(service.url, client)) })),
  );
  for (const { what, client, after, responses } of await Promise.all(endings)) {
    responses.forEach(expectWhole);
    const statuses = responses.map(({ status }) => status);
    expect({ what, wrong: statuses.filter((status) => !client.statuses.includes(status)) }).toEqual({
      what,
      wrong: [],
    });
    // The reset that ends a flood may discard its response; a slow client always gets one.
    expect(statuses.length).toBeGreaterThanOrEqual(client.every > 0 ? 1 : 0);
    expect(after).toBeLessThan(REQUEST_TIMEOUT + CLOSED_WITHIN);
  }
});

it('Nothing is kept but what was acknowledged', async () => {
  await honest.stop();
  const kept = new Map<string, BookingDto>();
  for (let target = '/v1/bookings?limit=100'; target !== '';) {
    const { bookings, next_cursor } = JSON.parse((await send(service.url, { target })).text) as BookingPageDto;
    for (const booking of bookings) kept.set(booking.booking_id, booking);
    target = next_cursor === null ? '' : `/v1/bookings?limit=100&cursor=${next_cursor}`;
  }
  const expected = new Set([...honest.booked, ...acknowledged]);
  expect([...kept.values()].filter(({ booking_id }) => !expected.has(booking_id))).toEqual([]);
  expect([...expected].filter((id) => !kept.has(id))).toEqual([]);
});

it('Honest clients are served meanwhile, in a process that does not grow', () => {
  const { durations, p99, mostMemory } = honest;
  const mib = Math.round(mostMemory / 2 ** 20);
  process.stdout.write(
    `Honest: ${durations.length} requests, p99 ${p99.toFixed(0)} ms. Most memory: ${mib} MiB. Mutations that were bookings: ${acknowledged.size}.\n`,
  );
  expect(service.faults).toEqual([]);
  expect(durations.length).toBeGreaterThan(200);
  expect(p99).toBeLessThan(HONEST_P99);
  expect(mib).toBeLessThan(heap + BESIDE_HEAP);
});
