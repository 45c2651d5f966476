import type { BookingDto, SlotDto } from '@booking-service/contracts';
import { type Api, api } from '../support/api.js';
import { aProblem, aResource, aSlot, create, list } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
let resource: string;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());
beforeEach(() => {
  resource = aResource();
});

const post = (slot: SlotDto) => service.post('/v1/bookings').send({ slot });

describe('A slot is taken', () => {
  it.each([
    ['for the same window', 9, 11],
    ['for a window inside', 9.5, 10],
    ['for a window that shares the start', 9, 9.5],
    ['for a window that shares the end', 10.5, 11],
    ['for a window around', 8, 12],
    ['for a window that reaches in by a millisecond', 8, 9 + 1 / 3_600_000],
    ['for a window that reaches out by a millisecond', 11 - 1 / 3_600_000, 12],
  ])('%s', async (_, start, end) => {
    const held = await create(service, { slot: aSlot(resource, 9, 11) });
    const { body } = await post(aSlot(resource, start, end)).expect(409);
    expect(body).toMatchObject({ ...aProblem('slot-taken'), conflicting_slot: held.slot });
    expect((await list(service, { resource_id: resource })).bookings).toEqual([held]);
  });

  it('for a window around several, naming one of them', async () => {
    const held = [aSlot(resource, 9), aSlot(resource, 11), aSlot(resource, 13)];
    for (const slot of held) await post(slot).expect(201);
    const { body } = await post(aSlot(resource, 8, 20)).expect(409);
    expect(held).toContainEqual((body as { conflicting_slot: SlotDto }).conflicting_slot);
  });

  it('for the same instants in other offsets', async () => {
    await post(aSlot(resource, 9, 10)).expect(201);
    const same = { resource_id: resource, start: '2026-12-01T14:30:00+05:30', end: '2026-12-01T02:00:00-08:00' };
    await post(same).expect(409);
    await post({ ...same, start: '2026-12-02T08:59:00+23:59', end: '2026-12-01T09:00:00.001Z' }).expect(409);
  });

  it('and its refusal tells of the held booking the slot alone', async () => {
    const held = await create(service, { slot: aSlot(resource), guest: 'Ada Lovelace', note: 'confidential' });
    const { body, text } = await post(aSlot(resource)).expect(409);
    const { conflicting_slot, ...rest } = body as { conflicting_slot: SlotDto };
    expect(conflicting_slot).toEqual(aSlot(resource));
    expect(Object.keys(rest).toSorted()).toEqual(['detail', 'instance', 'status', 'title', 'type']);
    for (const secret of [held.booking_id, held.created_at, 'Lovelace', 'confidential']) {
      expect(text).not.toContain(secret);
    }
  });

  it('for whoever sends the same create again without a key', async () => {
    const payload = { slot: aSlot(resource), note: 'retry' };
    await service.post('/v1/bookings').send(payload).expect(201);
    await service.post('/v1/bookings').send(payload).expect(409);
  });

  it('from the first year to the last, and everything within', async () => {
    const slot = { resource_id: resource, start: '0001-01-01T00:00:00.000Z', end: '9999-12-31T23:59:59.999Z' };
    await post(slot).expect(201);
    await post(aSlot(resource)).expect(409);
    await post({ ...slot, start: '9999-12-31T23:59:59.998Z' }).expect(409);
  });

  it('in the middle of many, far from the ends', async () => {
    for (let hour = 0; hour < 60; hour += 2) await post(aSlot(resource, hour)).expect(201);
    for (let hour = 0; hour < 60; hour += 2) await post(aSlot(resource, hour + 0.5, hour + 0.75)).expect(409);
    for (let hour = 1; hour < 60; hour += 2) await post(aSlot(resource, hour)).expect(201);
  });
});

describe('A slot is free', () => {
  it('right before and right after another: windows are half-open', async () => {
    await post(aSlot(resource, 9, 10)).expect(201);
    await post(aSlot(resource, 8, 9)).expect(201);
    await post(aSlot(resource, 10, 11)).expect(201);
    await post(aSlot(resource, 10.999, 11)).expect(409);
  });

  it('on the same clock time of another offset', async () => {
    await post(aSlot(resource, 9, 10)).expect(201);
    await post({ resource_id: resource, start: '2026-12-01T09:00:00+01:00', end: '2026-12-01T10:00:00+01:00' }).expect(
      201,
    );
  });

  it('on every resource whose name differs at all', async () => {
    const names = ['é', 'e\u0301', 'É', 'é ', ' é', 'é\u200b', 'e', '\u{1F6AA}', 'ﬁ', 'fi', 'ß', 'ss', '１', '1'];
    for (const name of names) await post(aSlot(resource + name)).expect(201);
    for (const name of names) {
      const { bookings } = await list(service, { resource_id: resource + name });
      expect(bookings.map(({ slot }) => slot?.resource_id)).toEqual([resource + name]);
    }
  });

  it('for bookings without one, as often as wanted', async () => {
    await create(service, { note: 'same' });
    await create(service, { note: 'same' });
  });
});

describe('64 creates at once', () => {
  it('for one window make exactly one booking', async () => {
    const responses = await Promise.all(
      Array.from({ length: 64 }, (_, n) => service.post('/v1/bookings').send({ slot: aSlot(resource), n })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(63);
    const winner = responses.find(({ status }) => status === 201)?.body as BookingDto;
    expect((await list(service, { resource_id: resource })).bookings).toEqual([winner]);
  });

  it('for windows that overlap in part make bookings that do not', async () => {
    await Promise.all(Array.from({ length: 64 }, (_, n) => post(aSlot(resource, (n * 7) % 32, ((n * 7) % 32) + 3))));
    const { bookings } = await list(service, { resource_id: resource, sort: 'start', limit: 100 });
    expect(bookings.length).toBeGreaterThan(0);
    for (const [index, { slot }] of bookings.entries()) {
      const next = bookings[index + 1]?.slot;
      expect(next === undefined || slot!.end <= next.start).toBe(true);
    }
  });
});
