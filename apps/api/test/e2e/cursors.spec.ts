import { sortOrders } from '@booking-service/contracts';
import { api } from '../support/api.js';
import { aResource, aSlot, create, idsOf, list } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;

beforeAll(async () => {
  running = await startApp();
  for (let hour = 0; hour < 3; hour++) {
    await create(api(running.url), { slot: aSlot(aResource(), hour) });
    await create(api(running.url));
  }
});
afterAll(() => running.close());

describe('A cursor', () => {
  it.each(sortOrders)('under %s is valid on another replica and after a restart', async (sort) => {
    const replica = await startApp();
    try {
      // Under the orders by start, also among the bookings without a slot.
      for (const limit of [2, 5]) {
        const { next_cursor: cursor } = await list(api(running.url), { sort, limit });
        expect(cursor).not.toBeNull();
        await list(api(replica.url), { sort, cursor: cursor! });
      }
    } finally {
      await replica.close();
    }
  });

  it.each(sortOrders)('under %s leads on in the order of the whole list, to its end', async (sort) => {
    const service = api(running.url);
    const all = idsOf((await list(service, { sort })).bookings);
    for (let limit = 1; limit < all.length; limit++) {
      const { next_cursor: cursor } = await list(service, { sort, limit });
      const rest = await list(service, { sort, cursor: cursor! });
      expect(idsOf(rest.bookings)).toEqual(all.slice(limit));
      expect(rest.next_cursor).toBeNull();
    }
  });
});
