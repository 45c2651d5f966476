import { setTimeout as sleep } from 'node:timers/promises';
import { EndpointProgress } from '../../src/events/endpoint-progress.js';
import { Lease } from '../../src/events/lease.js';
import { until } from '../support/until.js';
import { WorkerFixture } from './worker-fixture.js';

const [one, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

let fixture: WorkerFixture;
let releases: (() => Promise<void>)[];
beforeEach(async () => {
  fixture = await WorkerFixture.create('http://127.0.0.1:1');
  releases = [];
});
afterEach(async () => {
  await Promise.all(releases.map((release) => release()));
  await fixture.close();
});

async function claim(owner: string, onLost = (): void => {}) {
  const claimed = await Lease.claim(fixture.store, fixture.endpoint, owner, onLost);
  if (claimed === undefined) return undefined;
  const { lease } = claimed;
  const progress = new EndpointProgress(claimed.progress);
  releases.push(() => lease.release(progress));
  return { lease, progress };
}

describe('A lease', () => {
  it('keeps other owners out until it is released, with the progress', async () => {
    const { lease, progress } = (await claim(one))!;
    expect(await claim(other)).toBeUndefined();
    progress.add({ events: [], upTo: { delivered: 7, previous: 5 } });
    expect(await lease.renew(progress)).toBe(true);
    expect(await claim(other)).toBeUndefined();
    await lease.release(progress);
    const next = (await claim(other))!;
    expect(next.progress.position).toEqual({ delivered: 7, previous: 5, ahead: [] });
    await next.lease.release(next.progress);
  });

  it('is lost when another owner has the endpoint, and saves nothing from then on', async () => {
    let isLost = false;
    const { lease, progress } = (await claim(one, () => (isLost = true)))!;
    await fixture.expireLease();
    const next = (await claim(other))!;
    progress.add({ events: [], upTo: { delivered: 7, previous: 7 } });
    expect(isLost).toBe(false);
    expect(await lease.renew(progress)).toBe(false);
    expect(isLost).toBe(true);
    await lease.release(progress);
    await next.lease.release(next.progress);
    expect((await claim(one))!.progress.position.delivered).toBe(0);
  });

  it('is lost by itself after five seconds without a renewal, as with a database that is away', async () => {
    const startedAt = performance.now();
    let lostAt = Infinity;
    const { lease, progress } = (await claim(one, () => (lostAt = performance.now())))!;
    fixture.store.save = () => Promise.reject(new Error('the database is away'));
    await expect(lease.renew(progress)).rejects.toThrow('the database is away');
    // It is tried until then.
    await lease.release(progress);
    expect(lostAt - startedAt).toBeGreaterThan(4_900);
    await until(async () => (await fixture.store.claim(fixture.endpoint, other)) !== undefined);
  });

  it('is not taken back by a renewal that is under way when it is released', async () => {
    const { lease, progress } = (await claim(one))!;
    const save = fixture.store.save.bind(fixture.store);
    fixture.store.save = async (...renewal) => {
      fixture.store.save = save;
      await sleep(100);
      return save(...renewal);
    };
    await Promise.all([lease.renew(progress), lease.release(progress)]);
    expect(await claim(other)).toBeDefined();
  });
});
