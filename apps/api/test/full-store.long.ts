import { Agent } from 'node:http';
import { ServiceProcess } from 'testing';
import { sendUnchecked } from 'testing/raw-http';
import { aSlot } from './support/bookings.js';

const agent = new Agent({ keepAlive: true });
const post = (url: string, payload: object, key?: string) => {
  const headers = { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) };
  return sendUnchecked(url, { method: 'POST', target: '/v1/bookings', headers, body: JSON.stringify(payload), agent });
};

/** Bookings that take much memory in different ways. */
const kinds: Record<string, (number: number) => [payload: object, key?: string]> = {
  'that each have a resource and a key': (number) => [
    { slot: aSlot(`r${number}`), text: 'x'.repeat(2_000) },
    `${number}-${'k'.repeat(200)}`,
  ],
  'of 64 KiB, two bytes a character': () => [{ text: `${'x'.repeat(64_000)}Ж` }],
  'of numbers that are rendered longer': () => [{ numbers: Array<number>(3_000).fill(9e15) }],
};

describe('A full store in memory', () => {
  // A heap of 64 MiB is full sooner than the recommended 256.
  it.each(Object.entries(kinds))('is full before its heap is, with bookings %s', async (_, kind) => {
    const service = await ServiceProcess.start({ MEMORY_MAX_BOOKINGS: '1000000' }, ['--max-old-space-size=64']);
    let created = 0;
    let isFull = false;
    const client = async () => {
      while (!isFull) {
        const { status } = await post(service.url, ...kind(created));
        if (status === 201) created++;
        else isFull = true;
        expect([201, 503]).toContain(status);
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect(created).toBeGreaterThan(50);
    const list = await fetch(`${service.url}/v1/bookings?limit=100&sort=created_at`);
    expect(list.status).toBe(200);
    await list.text();
    expect(await service.stop()).toEqual([0, null]);
  });
});
