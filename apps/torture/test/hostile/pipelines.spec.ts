import { setTimeout as sleep } from 'node:timers/promises';
import type { BookingPageDto } from '@booking-service/contracts';
import { createTestDatabase } from 'testing';
import { send } from 'testing/raw-http';
import { chooseSeed, Random } from '../random.js';
import { Replica } from '../deployment/replica.js';
import { pipeline, type Pipeline } from './pipelines.js';
import { isBack, vitalsOf } from './vitals.js';
import { WireClient } from './wire-client.js';

const seed = chooseSeed('HOSTILE_SEED');
/** Requests in pipelines, on each store. */
const REQUESTS = Number(process.env['HOSTILE_PIPELINED'] ?? 10_000);
/** Requests of a pipeline that have their response for certain. */
const LONGEST = 17;
/** Connections at one time. */
const AT_ONCE = 24;
const MINUTE = 60_000;

/** Writes a pipeline and does as its client does. @returns the ids of the bookings in its 201s */
async function run(url: string, { bytes, ends, manner, expected }: Pipeline, random: Random): Promise<string[]> {
  const client = await WireClient.open(url, { reads: manner !== 'does not read' });
  await client.writePieces(bytes, ends);
  if (manner === 'leaves' || manner === 'resets' || manner === 'does not read') {
    await sleep(random.below(20));
    if (manner === 'resets') client.socket.resetAndDestroy();
    else client.socket.destroy();
    return [];
  }
  if (manner === 'half-closes') client.socket.end();
  const responses = manner === 'reads' ? await client.until(expected.length) : await client.untilClosed();
  client.socket.destroy();
  const statuses = responses.map(({ status }) => status);
  const isCut = statuses.length >= LONGEST && responses.at(-1)!.headers['connection'] === 'close';
  const isWhole = statuses.length === expected.length || isCut;
  const isRight = isWhole && statuses.every((status, at) => expected[at]!.includes(status));
  if (!isRight)
    throw new Error(`${statuses.join()} for ${JSON.stringify(bytes.toString())}, not ${JSON.stringify(expected)}`);
  return responses
    .filter(({ status }) => status === 201)
    .map(({ text }) => (JSON.parse(text) as { booking_id: string }).booking_id);
}

it.each(['memory', 'postgres'])(
  `Pipelines in odd pieces are carried out in order, once, and leave nothing behind: ${REQUESTS} requests on the store %s`,
  async (store) => {
    process.stdout.write(`HOSTILE_SEED=${seed} HOSTILE_PIPELINED=${REQUESTS}\n`);
    const database = store === 'postgres' ? await createTestDatabase() : undefined;
    const service = await Replica.start({
      NODE_OPTIONS: '--max-old-space-size=128',
      ...(database && { DATABASE_URL: database.url }),
    });
    for (const target of ['/v1/bookings', '/docs', '/docs/favicon-32x32.png', '/openapi.json']) {
      await send(service.url, { target });
    }
    const fresh = await vitalsOf(service.pid);
    const random = new Random(seed);
    const [sent, forbidden, acknowledged] = [new Set<string>(), new Set<string>(), new Set<string>()];

    let left = REQUESTS;
    const worker = async (): Promise<void> => {
      while (left > 0) {
        const next = pipeline(random);
        left -= next.requests;
        next.marks.forEach((mark) => sent.add(mark));
        next.forbidden.forEach((mark) => forbidden.add(mark));
        for (const id of await run(service.url, next, random)) acknowledged.add(id);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));

    const kept = new Map<string, string>();
    for (let target = '/v1/bookings?limit=100'; target !== '';) {
      const { bookings, next_cursor } = JSON.parse((await send(service.url, { target })).text) as BookingPageDto;
      for (const { booking_id, mark } of bookings) kept.set(booking_id, String(mark));
      target = next_cursor === null ? '' : `/v1/bookings?limit=100&cursor=${next_cursor}`;
    }
    const marks = [...kept.values()];
    expect(new Set(marks).size).toBe(marks.length);
    expect(marks.filter((mark) => !sent.has(mark) || forbidden.has(mark))).toEqual([]);
    expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(REQUESTS / 50);

    await isBack(service.pid, fresh, { moreSockets: store === 'postgres' ? 10 : 0, moreMib: 128 });
    expect(service.faults).toEqual([]);
    expect(await service.stop(15_000)).toBe(0);
    await database?.drop();
  },
  10 * MINUTE,
);
