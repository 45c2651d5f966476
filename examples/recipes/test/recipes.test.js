import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, it } from 'node:test';
import ICAL from 'ical.js';
import { freePort, query } from 'testing';
import { at, book, bookings, cancel, env, isGone, run, serve, stop } from './setup.js';

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

it('finds a booking by a reference', async () => {
  const words = ['Rechnung Nº 17', 'room-6', at('09:00')];
  const [made, id] = (await run('reference', ...words, at('10:00'))).split(' ');
  assert.equal(made, 'made');
  assert.equal(await run('reference', ...words, at('10:00')), `found ${id}`);
  assert.equal(await run('reference', ...words, at('11:00')), 'Rechnung Nº 17 has a booking with another payload');
  assert.match(await run('first-free', 'Rechnung Nº 17', at('09:00'), at('10:00'), 'bus/seat-9'), /bus\/seat-9$/);
});

it('serves a calendar that another library reads, and that is sent once', async () => {
  const start = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000);
  const end = new Date(start.getTime() + 3_600_000);
  const title = 'Lunch; with Ada, and\nGrace';
  const { booking_id: id } = await bookings.create({ slot: { resource_id: 'room-10', start, end }, title });
  const slot = { resource_id: 'room-10', start: new Date(end.getTime() + 200), end: new Date(end.getTime() + 700) };
  const { booking_id: brief } = await bookings.create({ slot });
  const port = await freePort();
  await serve('calendar', port);
  const response = await fetch(`http://localhost:${port}/open-sesame/room-10.ics`);
  const events = new ICAL.Component(ICAL.parse(await response.text())).getAllSubcomponents('vevent');
  const [event, second] = events.map((each) => new ICAL.Event(each));
  assert.equal(events.length, 2);
  assert.deepEqual([event?.uid, event?.summary], [id, title]);
  assert.deepEqual([event?.startDate.toJSDate(), event?.endDate.toJSDate()], [start, end]);
  assert.equal(second?.uid, brief);
  assert.ok(second.endDate.compare(second.startDate) > 0, 'RFC 5545: DTEND is later than DTSTART');
  const headers = { 'If-None-Match': response.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' };
  assert.equal((await fetch(response.url, { headers })).status, 304);
  assert.equal((await fetch(`http://localhost:${port}/sesame/room-10.ics`)).status, 404);
});
