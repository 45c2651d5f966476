import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, it } from 'node:test';
import ICAL from 'ical.js';
import { freePort, query, until } from 'testing';
import { keyOf } from '../src/bookings.js';
import { at, book, bookings, cancel, env, instant, isGone, lines, receiver, run, serve, stop } from './setup.js';

after(stop);

it('prints what is free, and lasts', async () => {
  await book('room-1', '10:00', '11:00');
  await book('room-1', '11:20', '12:00');
  assert.deepEqual((await run('free', 'room-1', at('09:00'), at('12:00'), 30)).split('\n'), [
    '2027-03-01T09:00:00.000Z to 2027-03-01T10:00:00.000Z',
  ]);
});

it('books the first free seat, and the same one for the same order', async () => {
  const seats = [1, 2, 3].map((each) => `Größe-${each}`);
  const orders = ['Möller "a"', 'b', 'c', 'd', 'Möller "a"'];
  /** @type {string[]} */
  const printed = [];
  for (const order of orders) printed.push(await run('first-free', order, at('09:00'), at('10:00'), ...seats));
  assert.equal(new Set(printed.slice(0, 3).map((line) => line.split(' ')[1])).size, 3);
  assert.deepEqual(printed.slice(3), ['full', printed[0]]);
});

it('books no second seat for an order whose first choice has become free', async () => {
  const seats = [1, 2, 3].map((each) => `bus/seat-${each}`);
  const held = await Promise.all(seats.map((seat) => book(seat, '09:00', '10:00')));
  await cancel(held[0]?.booking_id ?? '');
  const order = () => run('first-free', 'order-1', at('09:00'), at('10:00'), ...seats);
  const booked = await order();
  assert.match(booked, /bus\/seat-1$/);
  for (const { booking_id: id } of held) await cancel(id);
  assert.equal(await order(), booked);
  const earlier = run('first-free', 'order-1', at('08:00'), at('09:00'), ...seats);
  assert.equal(await earlier, 'order-1 has another seat or time');
});

it('cancels for token holders, and records it', async () => {
  const { booking_id: id } = await book('room-3', '09:00', '10:00', { guest: 'Grace' });
  assert.equal(await cancel(id, { Authorization: 'Bearer bob-s' }), 401);
  assert.deepEqual([await cancel(id), await cancel(id), await cancel('x')], [204, 404, 404]);
  assert.equal(await isGone(id), true);
  assert.match(readFileSync(env.RECORD_FILE, 'utf8'), new RegExp(`"who":"Ada".*${id}.*Grace`));
});

it('deletes with a role that can do nothing else', async () => {
  const rights = `SELECT table_name || ' ' || privilege_type AS right FROM information_schema.role_table_grants
    WHERE grantee = 'bookings_desk' ORDER BY 1`;
  assert.deepEqual(await query(env.DATABASE_URL, rights), [{ right: 'bookings DELETE' }, { right: 'bookings SELECT' }]);
});

it('reschedules: a new booking and no old one, or all as it was', async () => {
  const { booking_id: id } = await book('room-4', '09:00', '10:00', { guest: 'Ada' });
  await book('room-4', '12:00', '13:00');
  assert.equal(await run('reschedule', id, at('12:30'), at('13:30')), `taken, and ${id} is as it was`);
  assert.equal(await isGone(id), false);
  const moved = await run('reschedule', id, at('14:00'), at('15:00'));
  assert.equal(await isGone(id), true);
  assert.equal((await bookings.get(moved))['guest'], 'Ada');
  assert.equal(await run('reschedule', id, at('14:00'), at('15:00')), `${id} is gone: moved or cancelled before`);
});

it('moves a booking once, also if two moves race, or one was cut off before its cancellation', async () => {
  const { booking_id: raced } = await book('room-4c', '09:00', '10:00');
  const times = ['11:00', '12:00', '13:00', '14:00'];
  await Promise.all(times.map((hour) => run('reschedule', raced, at(hour), at(hour.replace(':00', ':30')))));
  assert.equal((await bookings.list({ resource_id: 'room-4c' })).bookings.length, 1);

  const { booking_id: id } = await book('room-4d', '09:00', '10:00');
  const slot = { resource_id: 'room-4d', start: at('12:00'), end: at('13:00') };
  const { booking_id: moved } = await bookings.create({ slot }, { idempotencyKey: keyOf('moved', id) });
  const begun = `another move of ${id} has begun: repeat that one`;
  assert.equal(await run('reschedule', id, at('14:00'), at('15:00')), begun);
  assert.equal(await run('reschedule', id, slot.start, slot.end), moved);
  assert.deepEqual(await Promise.all([id, moved].map(isGone)), [true, false]);
});

it('reschedules onto its own time: a longer booking gets a second one, another move is told why not', async () => {
  const { booking_id: id, slot } = await book('room-4b', '10:00', '11:00', { guest: 'Ada' });
  const later = await run('reschedule', id, at('10:00'), at('11:30'));
  assert.equal(later.split(' ')[0], 'added');
  const { booking_id: _, created_at: __, ...added } = await bookings.get(later.split(' ')[1] ?? '');
  const extended = { ...slot, start: slot?.end, end: '2027-03-01T11:30:00.000Z' };
  assert.deepEqual(added, { slot: extended, guest: 'Ada', extends: id });
  assert.equal(await run('reschedule', id, at('10:00'), at('11:30')), later);
  assert.match(await run('reschedule', id, at('09:30'), at('11:00')), /^added /);
  assert.equal(await run('reschedule', id, at('10:30'), at('11:00')), `overlaps ${id} itself: cancel it first`);
  assert.equal(await isGone(id), false);
});

it('ends a hold whose time is over, unless it is paid or has only just ended', async () => {
  const over = await run('hold', 'over', 'a', at('09:00'), at('10:00'), -2);
  const paid = await run('hold', 'paid', 'b', at('09:00'), at('10:00'), -2);
  const justOver = await run('hold', 'just-over', 'c', at('09:00'), at('10:00'), -0.01);
  const holds = await run('hold', 'Größe', 'd', at('09:00'), at('10:00'), 15);
  assert.equal(await run('hold', 'other', 'd', at('09:00'), at('10:00'), 15), 'taken');
  assert.equal(await run('hold', 'Größe', 'd', at('09:00'), at('10:00'), 15), 'Größe holds something already');
  await assert.rejects(run('end-holds'), /ENOENT/);
  writeFileSync(env.PAID_FILE, 'x\r\npaid\r\n');
  const moved = await run('reschedule', paid, at('12:00'), at('13:00'));
  assert.equal(await run('end-holds'), `ended ${over}`);
  assert.deepEqual(await Promise.all([over, moved, justOver, holds].map(isGone)), [true, false, false, false]);
});

it('holds the time before and after', async () => {
  assert.match(
    await run('buffer', 'chair-1', at('09:00'), at('10:00'), 15),
    / 2027-03-01T08:45.+'2027-03-01T09:00:00Z'/,
  );
});

it('finds a booking by a reference', async () => {
  const words = ['Rechnung Nº 17', 'room-6', at('09:00')];
  const [made, id] = (await run('reference', ...words, at('10:00'))).split(' ');
  assert.equal(made, 'made');
  assert.equal(await run('reference', ...words, at('10:00')), `found ${id}`);
  assert.equal(await run('reference', ...words, at('11:00')), 'Rechnung Nº 17 has a booking with another payload');
});

it('books a room and its projector for several weeks, or nothing', async () => {
  const booked = await run('all-or-none', 'Kurs 1', at('09:00'), at('10:00'), 2, 'room-8', 'projector');
  assert.deepEqual(booked.split(' ').length, 5);
  assert.equal(await run('all-or-none', 'Kurs 1', at('09:00'), at('10:00'), 2, 'room-8', 'projector'), booked);
  const taken = await run('all-or-none', 'course-2', at('09:30'), at('10:30'), 2, 'room-7', 'room-8');
  assert.equal(taken, 'room-8 at 2027-03-01T09:30:00.000Z is taken: gave back 2');
  assert.equal(await run('free', 'room-7', at('09:00'), at('11:00')), `${instant('09:00')} to ${instant('11:00')}`);
});

it('gives back nothing that an earlier run booked', async () => {
  const course = (/** @type {number} */ weeks) =>
    run('all-or-none', 'course-3', at('09:00'), at('10:00'), weeks, 'room-9');
  const held = (await course(2)).split(' ').slice(1);
  const third = { resource_id: 'room-9', start: '2027-03-15T09:30:00Z', end: '2027-03-15T10:30:00Z' };
  await bookings.create({ slot: third });
  assert.equal(await course(3), 'room-9 at 2027-03-15T09:00:00.000Z is taken: gave back 0');
  await cancel(held[1] ?? '');
  await bookings.create({ slot: { ...third, start: '2027-03-08T09:30:00Z', end: '2027-03-08T10:30:00Z' } });
  assert.equal(await course(2), 'room-9 at 2027-03-08T09:00:00.000Z is taken: gave back 0');
  assert.deepEqual(await Promise.all(held.map(isGone)), [false, true]);
});

it('gives one of several orders all it wants', async () => {
  const sets = [
    ['p', 'q'],
    ['q', 'r'],
    ['r', 'p'],
    ['r', 'q', 'p'],
  ];
  const runs = sets.map((resources, index) =>
    run('all-or-none', `order-${index}`, at('09:00'), at('10:00'), 1, ...resources),
  );
  const winner = (await Promise.all(runs)).find((line) => line.startsWith('booked')) ?? '';
  const held = [];
  for (const resource_id of ['p', 'q', 'r']) {
    for await (const { booking_id: id } of bookings.listAll({ resource_id })) held.push(id);
  }
  assert.deepEqual(held.toSorted(), winner.split(' ').slice(1).toSorted());
});

it('serves a calendar that another library reads, and that is sent once', async () => {
  const start = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000);
  const end = new Date(start.getTime() + 3_600_000);
  const title = 'Lunch; with Ada, and\nGrace';
  const { booking_id: id } = await bookings.create({ slot: { resource_id: 'room-10', start, end }, title });
  const port = await freePort();
  await serve('calendar', port);
  const response = await fetch(`http://localhost:${port}/open-sesame/room-10.ics`);
  const events = new ICAL.Component(ICAL.parse(await response.text())).getAllSubcomponents('vevent');
  const [event] = events.map((each) => new ICAL.Event(each));
  assert.equal(events.length, 1);
  assert.deepEqual([event?.uid, event?.summary], [id, title]);
  assert.deepEqual([event?.startDate.toJSDate(), event?.endDate.toJSDate()], [start, end]);
  const headers = { 'If-None-Match': response.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' };
  assert.equal((await fetch(response.url, { headers })).status, 304);
  assert.equal((await fetch(`http://localhost:${port}/sesame/room-10.ics`)).status, 404);
});

it('lets the first of a waiting list in when a booking is cancelled', async () => {
  const slot = { resource_id: 'room-11', start: at('09:00'), end: at('10:00') };
  const { booking_id: held } = await bookings.create({ slot });
  /** @type {string[]} */
  const waiting = [];
  for (const guest of ['Ada', 'Grace']) {
    const { booking_id } = await bookings.create({ waits_for: slot, guest });
    waiting.push(booking_id);
  }
  await cancel(held);
  await until(() => lines.some((line) => line.startsWith(`${waiting[0]} got `)));
  const id = lines.at(-1)?.split(' ')[2] ?? '';
  assert.equal((await bookings.get(id))['guest'], 'Ada');
  assert.deepEqual(await Promise.all(waiting.map(isGone)), [true, false]);
  await cancel(id);
  await until(() => lines.some((line) => line.startsWith(`${waiting[1]} got `)));
});

it('lets in who waits for what has just become free', async () => {
  const waits_for = { resource_id: 'room-12', start: at('09:00'), end: at('10:00') };
  await bookings.create({ waits_for: { ...waits_for, end: 'noon' } });
  const { booking_id: id } = await bookings.create({ waits_for });
  await until(() => isGone(id));
});

it('rejects a body that is larger than any event', async () => {
  const { status } = await fetch(receiver, { method: 'POST', body: 'x'.repeat(1_048_577) });
  assert.equal(status, 413);
});
