import { setTimeout as sleep } from 'node:timers/promises';
import { eventTypes } from '@booking-service/contracts/events';
import type { PendingEvent } from '../../src/events/endpoint-progress.js';
import { Lanes } from '../../src/events/lanes.js';
import { until } from '../support/until.js';

/** Events of these resources, with the sequences 1, 2, 3, ... */
function eventsOf(...resources: (string | undefined)[]): PendingEvent[] {
  return resources.map((resourceId, index) => {
    const sequence = index + 1;
    const type = eventTypes.bookingCreated;
    const event = {
      sequence,
      previous: index,
      id: '',
      type,
      bookingId: `${sequence}`,
      resourceId,
      time: 0,
      data: '{}',
    };
    return { event, isDeferred: false, rejections: 0 };
  });
}

const anywhere = (count: number): PendingEvent[] => eventsOf(...Array.from({ length: count }, () => undefined));

/** Sends them, 16 at a time. */
async function sendAll(events: PendingEvent[], send: (sequence: number) => Promise<boolean>): Promise<Lanes> {
  const lanes = new Lanes(
    ({ event }) => send(event.sequence),
    () => 16,
  );
  lanes.add(events);
  await until(() => lanes.isIdle);
  return lanes;
}

describe('Events in lanes', () => {
  it('are sent one after the other where they are of one resource, in the order of their sequence', async () => {
    const underWay = new Set<string>();
    const sent: number[] = [];
    const events = eventsOf('a', 'b', 'a', 'b', 'a', 'c', 'a');
    await sendAll(events.toReversed(), async (sequence) => {
      const resource = events[sequence - 1]!.event.resourceId!;
      expect(underWay.has(resource)).toBe(false);
      underWay.add(resource);
      await sleep(10 - sequence);
      underWay.delete(resource);
      return sent.push(sequence) > 0;
    });
    expect(sent).toHaveLength(7);
    expect(sent.filter((sequence) => sequence % 2 === 1)).toEqual([1, 3, 5, 7]);
  });

  it('wait for no other resource, while there are places', async () => {
    const sent: number[] = [];
    let release = (): void => {};
    const first = new Promise<void>((resolve) => (release = resolve));
    const resources = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 'slow' : `room ${index % 20}`));
    const sending = sendAll(eventsOf(...resources), async (sequence) => {
      if (sequence === 1) await first;
      return sent.push(sequence) > 0;
    });
    await until(() => sent.length === 50);
    expect(sent.every((sequence) => sequence % 2 === 0)).toBe(true);
    release();
    await sending;
    expect(sent.slice(50)).toEqual(Array.from({ length: 50 }, (_, index) => 2 * index + 1));
  });

  it('are 16 at a time', async () => {
    let open = 0;
    let most = 0;
    await sendAll(anywhere(50), async () => {
      most = Math.max(most, ++open);
      await sleep(1);
      open--;
      return true;
    });
    expect(most).toBe(16);
  });

  it.each([
    ['says that none may follow', () => Promise.resolve(false)],
    ['throws', () => Promise.reject(new Error('the database is away'))],
  ])('are not started once one of them %s', async (_, fail) => {
    const finished: number[] = [];
    const lanes = await sendAll(anywhere(48), async (sequence) => {
      if (sequence === 3) return fail();
      await sleep(20);
      return finished.push(sequence) > 0;
    });
    expect(lanes.isStopped).toBe(true);
    expect(finished).toHaveLength(15);
    expect(lanes.inHand).toEqual([]);
  });

  it('can be taken back before they are started, all or those of one', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const lanes = new Lanes(
      () => held.then(() => true),
      () => 2,
    );
    lanes.add(eventsOf('a', 'a', 'b', 'b', 'c'));
    const taken = (lane?: string) => lanes.takeWaiting(lane).map(({ event }) => event.sequence);
    expect(taken('a')).toEqual([2]);
    expect(taken()).toEqual([4, 5]);
    release();
    await until(() => lanes.isIdle);
  });
});
