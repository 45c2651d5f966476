import type { BookingDto, BookingPageDto } from '@booking-service/contracts';
import { send } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aProblem, aResource, aSlot, at, create, idsOf, list, pointersOf, walk } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

describe('resource_id', () => {
  it('keeps only bookings whose slot is on exactly this resource', async () => {
    const resource = `${aResource()} é &=+%/?#`;
    const booking = await create(service, { slot: aSlot(resource) });
    await create(service, { slot: aSlot(resource.toUpperCase()) });
    await create(service, { slot: aSlot(`${resource} `) });
    await create(service, { resource_id: resource });
    expect((await list(service, { resource_id: resource })).bookings).toEqual([booking]);
  });

  it('may hold a plus for a space, as forms write it', async () => {
    const resource = aResource();
    const booking = await create(service, { slot: aSlot(resource) });
    const { text } = await send(running.url, { target: `/v1/bookings?resource_id=${resource.replaceAll(' ', '+')}` });
    expect((JSON.parse(text) as BookingPageDto).bookings).toEqual([booking]);
  });

  it.each(['', '%00', 'room%0A', '%7F', '%C2%80', 'x'.repeat(201)])('cannot be %j', async (resource) => {
    const { status, text } = await send(running.url, { target: `/v1/bookings?resource_id=${resource}` });
    expect(status).toBe(400);
    expect(pointersOf(JSON.parse(text))).toEqual(['#/resource_id']);
  });

  it('may be 200 code points long', async () => {
    expect((await list(service, { resource_id: '\u{1F6AA}'.repeat(200) })).bookings).toEqual([]);
  });
});

describe('from and to', () => {
  const resource = aResource();
  const made: Record<string, BookingDto> = {};

  beforeAll(async () => {
    for (const [name, start, end] of [
      ['long before', 0, 1],
      ['up to from', 8, 9],
      ['one millisecond in', 9 - 1 / 60, 9 + 1 / 3_600_000],
      ['inside', 9.5, 9.75],
      ['up to to', 9.75, 10],
      ['right after to', 10, 11],
    ] as const) {
      made[name] = await create(service, {
        slot: aSlot(name.includes('in') ? `${resource} too` : resource, start, end),
      });
    }
    // The longest one starts long before, on a resource of its own, and reaches in.
    made['around'] = await create(service, { slot: aSlot(`${resource} whole day`, -1000, 1000) });
    made['without slot'] = await create(service, {});
  });

  const namesIn = async (query: Record<string, string>): Promise<string[]> => {
    const ids = idsOf(await walk(service, { sort: 'start', limit: 2, ...query }));
    const known = Object.entries(made);
    return ids.flatMap((id) => known.find(([, { booking_id }]) => booking_id === id)?.[0] ?? []);
  };

  it('keep what overlaps [from, to): not what ends at from, not what starts at to', async () => {
    const names = ['around', 'one millisecond in', 'inside', 'up to to'];
    expect(await namesIn({ from: at(9), to: at(10) })).toEqual(names);
  });

  it('may each stand alone, and leave the other side open', async () => {
    expect(await namesIn({ from: at(9) })).toEqual([
      'around',
      'one millisecond in',
      'inside',
      'up to to',
      'right after to',
    ]);
    expect(await namesIn({ to: at(9) })).toEqual(['around', 'long before', 'up to from', 'one millisecond in']);
  });

  it('take the bookings at the edges in with one millisecond more', async () => {
    const window = { from: '2026-12-01T08:59:59.999Z', to: '2026-12-01T10:00:00.001Z' };
    expect(await namesIn({ ...window, resource_id: resource })).toEqual(['up to from', 'up to to', 'right after to']);
    expect(await namesIn({ from: at(9), to: at(10), resource_id: resource })).toEqual(['up to to']);
  });

  it('may be one millisecond apart', async () => {
    const window = { from: at(500), to: '2026-12-21T20:00:00.001Z' };
    expect(await namesIn(window)).toEqual(['around']);
  });

  it('take the syntax of the slot, with any offset', async () => {
    const window = { from: '2026-12-01T10:00:00+01:00', to: '2026-12-01T05:00:00-05:00' };
    expect(await namesIn(window)).toEqual(await namesIn({ from: at(9), to: at(10) }));
  });

  it.each(['2026-12-01', '2026-02-30T00:00:00Z', '2026-12-01T09:00:00', '2026-12-01T09:00:00.0000Z', '', 'now', '0'])(
    'cannot be %j',
    async (instant) => {
      for (const name of ['from', 'to']) {
        const { body } = await service
          .get('/v1/bookings')
          .query({ [name]: instant })
          .expect(400);
        expect(body).toMatchObject(aProblem('invalid-request'));
        expect(pointersOf(body)).toEqual([`#/${name}`]);
      }
    },
  );

  it('cannot be the same instant, or the wrong way round', async () => {
    await service
      .get('/v1/bookings')
      .query({ from: at(9), to: at(9) })
      .expect(400);
    await service
      .get('/v1/bookings')
      .query({ from: at(9), to: '2026-12-01T10:00:00+01:00' })
      .expect(400);
    await service
      .get('/v1/bookings')
      .query({ from: at(10), to: at(9) })
      .expect(400);
  });
});

describe('A query is refused', () => {
  it.each([
    ['for a parameter that is not known', 'page=2', '#/page'],
    ['for a parameter in another case', 'Limit=2', '#/Limit'],
    ['for a parameter in brackets', 'limit[]=2', '#/limit%5B%5D'],
    ['for a parameter without a name', '=2', '#/'],
    ['for a name that JavaScript calls its own', '__proto__=2', '#/__proto__'],
    ['for another one', 'constructor=2', '#/constructor'],
    ['for a parameter that comes twice', 'limit=2&limit=3', '#/limit'],
    ['for a parameter that comes twice, the same', 'resource_id=a&resource_id=a', '#/resource_id'],
    ['for a parameter that comes twice, once escaped', 'sort=start&s%6Frt=start', '#/sort'],
    ['for a cursor that comes twice', 'cursor=a&cursor=b', '#/cursor'],
    ['for an empty cursor', 'cursor=', '#/cursor'],
    ['for a name without a value', 'limit', '#/limit'],
    ['for an unknown one behind a thousand', `${'&'.repeat(1_500)}page=2`, '#/page'],
    ['for an unknown one beside good ones', 'limit=2&sort=start&Page=1', '#/Page'],
  ])('%s', async (_, query, pointer) => {
    const { status, text } = await send(running.url, { target: `/v1/bookings?${query}` });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject(aProblem('invalid-request'));
    expect(pointersOf(JSON.parse(text))).toEqual([pointer]);
  });

  it.each(['%', '%2', '%zz', '%ff', '%C3', '%C0%80', '%ED%A0%80', '%u00e9'])('for the escape %s', async (escape) => {
    for (const query of [`resource_id=${escape}`, `${escape}=1`]) {
      const { status, text } = await send(running.url, { target: `/v1/bookings?${query}` });
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject(aProblem('invalid-request'));
    }
  });
});
