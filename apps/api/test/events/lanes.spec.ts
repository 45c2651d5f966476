import { setTimeout as sleep } from 'node:timers/promises';
import { bookingCreated, type BookingEvent } from '../../src/events/event.js';
import { inLanes } from '../../src/events/lanes.js';

/** Events of these resources, with the sequences 1, 2, 3, ... */
function eventsOf(...resources: (string | undefined)[]): BookingEvent[] {
  return resources.map((resourceId, index) => {
    const place = { sequence: index + 1, previous: index, isOfDeletion: false };
    return bookingCreated(place, { bookingId: '', resourceId, json: '{}' });
  });
}

describe('Events in lanes', () => {
  it('are sent one after the other where they are of one resource, however long each takes', async () => {
    const underWay = new Map<string, number>();
    const sent: BookingEvent[] = [];
    const events = eventsOf('a', 'b', 'a', 'b', 'a', 'c', 'a');
    const isDone = await inLanes(events, async (event) => {
      const resource = event.resourceId!;
      expect(underWay.get(resource)).toBeUndefined();
      underWay.set(resource, event.sequence);
      await sleep(10 - event.sequence);
      underWay.delete(resource);
      sent.push(event);
      return true;
    });
    expect(isDone).toBe(true);
    expect(sent.filter(({ resourceId }) => resourceId === 'a').map(({ sequence }) => sequence)).toEqual([1, 3, 5, 7]);
  });

  it('are 16 at a time, those without a resource', async () => {
    let open = 0;
    let most = 0;
    await inLanes(eventsOf(...Array.from({ length: 50 }, () => undefined)), async () => {
      most = Math.max(most, ++open);
      await sleep(1);
      open--;
      return true;
    });
    expect(most).toBe(16);
  });

  it('stop in all lanes when one of them may not go on, once those under way are over', async () => {
    const finished: number[] = [];
    const isDone = await inLanes(eventsOf(...Array.from({ length: 48 }, () => undefined)), async ({ sequence }) => {
      if (sequence === 3) return false;
      await sleep(20);
      finished.push(sequence);
      return true;
    });
    expect(isDone).toBe(false);
    expect(finished.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 16 }, (_, index) => index + 1).filter((sequence) => sequence !== 3),
    );
  });

  it('stop in all lanes when sending throws, and throw that once those under way are over', async () => {
    let finished = 0;
    const sending = inLanes(eventsOf(...Array.from({ length: 48 }, () => undefined)), async ({ sequence }) => {
      if (sequence === 3) throw new Error('the database is away');
      await sleep(20);
      finished++;
      return true;
    });
    await expect(sending).rejects.toThrow('the database is away');
    expect(finished).toBe(15);
  });

  it('are done where there are none', async () => {
    expect(await inLanes([], () => Promise.reject(new Error()))).toBe(true);
  });
});
