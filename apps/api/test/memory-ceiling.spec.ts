import type { BookingPageDto } from '@booking-service/contracts';
import { ServiceProcess } from 'testing';
import { PipelinedConnection, type PipelinedResponse } from './support/pipelined-connection.js';

interface Create {
  readonly body: string;
  readonly key?: string;
}

const instant = (minute: number): string =>
  new Date(Date.parse('2027-01-01T00:00:00Z') + minute * 60_000).toISOString();
const slot = (resource: string, minute: number): object => ({
  resource_id: resource,
  start: instant(minute),
  end: instant(minute + 1),
});

/** Creates of every kind, by their number: what makes each of them dear is another part of the store. */
const kinds: Record<string, (number: number) => Create> = {
  'of nothing': () => ({ body: '{}' }),
  'with a resource and a key of its own each': (number) => ({
    body: JSON.stringify({ slot: slot(`resource-${number}`, 0) }),
    key: `${number}-${'k'.repeat(200)}`,
  }),
  'with two to a resource': (number) => ({ body: JSON.stringify({ slot: slot(`r${number >> 1}`, number % 2) }) }),
  'all on one resource': (number) => ({ body: JSON.stringify({ slot: slot('one', number) }) }),
  'all on one resource, against time': (number) => ({
    body: JSON.stringify({ slot: slot('one', 50_000_000 - number) }),
  }),
  'of 64 KiB': () => ({ body: JSON.stringify({ text: 'x'.repeat(65_000) }) }),
  'of 64 KiB of two bytes a character': () => ({ body: JSON.stringify({ text: 'x'.repeat(64_000) + '\\u0416' }) }),
  // Rendered as 9000000000000000: four times as long.
  'of numbers that are rendered larger': () => ({ body: `{"numbers":[${'9e15,'.repeat(13_000)}0]}` }),
  'of many small arrays': () => ({ body: `{"arrays":[${'[],'.repeat(21_000)}0]}` }),
};

/** MiB of the old generation; 0 is the default of Node. The long form has every kind, in minutes and several GiB. */
const longForm = process.env['MEMORY_CEILING_HEAPS_MIB']?.split(',').map(Number);
const heaps = longForm ?? [64];
const quickKinds = new Set([
  'of nothing',
  'with a resource and a key of its own each',
  'of 64 KiB',
  'of many small arrays',
]);

const CONNECTIONS = 8;
/** Requests that one connection has under way. */
const PIPELINED = 8;
/** Bookings between two that are read back by their ids. */
const READ_BACK_STEP = 97;

const ID_START = '{"booking_id":"'.length;

class Filling {
  /** By id, what was responded to its create; of most bookings only that it was acknowledged. */
  readonly acknowledged = new Map<string, string>();
  rejected = 0;
  private next = 0;

  constructor(private readonly kind: (number: number) => Create) {}

  /** Creates over one connection, until `rejections` of them were rejected in a row. */
  async fill(connection: PipelinedConnection, rejections: number): Promise<void> {
    for (let inARow = 0; inARow < rejections;) {
      const responses = await Promise.all(Array.from({ length: PIPELINED }, () => this.create(connection)));
      for (const { status, text } of responses) {
        inARow = status === 503 ? inARow + 1 : 0;
        this.count(status, text);
      }
    }
  }

  create(connection: PipelinedConnection): Promise<PipelinedResponse> {
    const { body, key } = this.kind(this.next++);
    return connection.send('POST', '/v1/bookings', body, key === undefined ? [] : [`Idempotency-Key: ${key}`]);
  }

  private count(status: number, text: string): void {
    if (status === 503) this.rejected++;
    else if (status !== 201) throw new Error(`A create has the response ${status} ${text.slice(0, 500)}`);
    else {
      // A copy: a slice would keep the whole response.
      const id = Buffer.from(text.slice(ID_START, ID_START + 36)).toString();
      this.acknowledged.set(id, this.acknowledged.size % READ_BACK_STEP === 0 ? text : '');
    }
  }
}

async function walk(url: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const response = await fetch(`${url}/v1/bookings?limit=100&sort=created_at${query}`);
    expect(response.status).toBe(200);
    const page = (await response.json()) as BookingPageDto;
    for (const { booking_id } of page.bookings) ids.add(booking_id);
    cursor = page.next_cursor;
  }
  return ids;
}

async function expectToBeFull(connection: PipelinedConnection, filling: Filling): Promise<void> {
  for (let index = 0; index < 10; index++) expect((await filling.create(connection)).status).toBe(503);
}

describe.each(heaps)('The service in memory, with a heap of %i MiB', (heap) => {
  it.each(Object.entries(kinds).filter(([name]) => longForm !== undefined || quickKinds.has(name)))(
    'rejects creates %s before its heap is full, still reads, and loses nothing',
    async (name, kind) => {
      const flags = heap === 0 ? [] : [`--max-old-space-size=${heap}`];
      const service = await ServiceProcess.start({ MEMORY_MAX_BOOKINGS: '16000000' }, flags);
      const connections: PipelinedConnection[] = [];
      const open = (): PipelinedConnection => connections[connections.push(PipelinedConnection.open(service.url)) - 1]!;
      const filling = new Filling(kind);
      try {
        await Promise.all(Array.from({ length: CONNECTIONS }, () => filling.fill(open(), 2 * PIPELINED)));
        expect(filling.acknowledged.size).toBeGreaterThan(40);
        await expectToBeFull(open(), filling);
        expect(await walk(service.url)).toEqual(new Set(filling.acknowledged.keys()));
        const reader = open();
        for (const [id, text] of [...filling.acknowledged].filter(([, kept]) => kept !== '')) {
          expect(await reader.send('GET', `/v1/bookings/${id}`)).toEqual({ status: 200, text });
        }
        await expectToBeFull(open(), filling);
        const heapUsed = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(
          await (await fetch(`${service.url}/metrics`)).text(),
        );
        process.stdout.write(
          `${heap} MiB, ${name}: ${filling.acknowledged.size} bookings, ${filling.rejected} rejected, heap ${(Number(heapUsed?.[1]) / 2 ** 20).toFixed(0)} MiB\n`,
        );
      } finally {
        for (const connection of connections) connection.close();
        expect(await service.stop()).toEqual([0, null]);
      }
    },
    heap === 64 ? 120_000 : 1_800_000,
  );
});
