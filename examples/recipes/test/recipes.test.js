import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { after, it } from 'node:test';
import ICAL from 'ical.js';
import { freePort, query, until } from 'testing';
import { at, book, bookings, cancel, env, isGone, receiverPort, run, secret, serve, stop } from './setup.js';

after(stop);

it('prints what is free, and lasts', async () => {
  await book('room-1', '10:00', '11:00');
  await book('room-1', '11:20', '12:00');
  assert.deepEqual((await run('free', 'room-1', at('09:00'), at('12:00'), 30)).split('\n'), [
    '2027-03-01T09:00:00.000Z to 2027-03-01T10:00:00.000Z',
  ]);
});

it('books the first free seat, and the same one for the same order', async () => {
  const seats = [1, 2, 3].map((each) => `tour/seat-${each}`);
  const orders = ['a', 'b', 'c', 'd', 'a'];
  /** @type {string[]} */
  const printed = [];
  for (const order of orders) printed.push(await run('first-free', order, at('09:00'), at('10:00'), ...seats));
  assert.equal(new Set(printed.slice(0, 3).map((line) => line.split(' ')[1])).size, 3);
  assert.deepEqual(printed.slice(3), ['full', printed[0]]);
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
});

it('ends a hold whose time is over, unless it is paid', async () => {
  const [over, paid] = [
    await run('hold', 'a', at('09:00'), at('10:00'), -1),
    await run('hold', 'b', at('09:00'), at('10:00'), -1),
  ];
  const holds = await run('hold', 'c', at('09:00'), at('10:00'), 15);
  appendFileSync(env.PAID_FILE, `${paid}\n`);
  assert.equal(await run('end-holds'), `ended ${over}`);
  assert.deepEqual(await Promise.all([over, paid, holds].map(isGone)), [true, false, false]);
});

it('holds the time before and after', async () => {
  assert.match(
    await run('buffer', 'chair-1', at('09:00'), at('10:00'), 15),
    / 2027-03-01T08:45.+'2027-03-01T09:00:00Z'/,
  );
});

it('finds a booking by a reference', async () => {
  const words = ['invoice-17', 'room-6', at('09:00')];
  const [made, id] = (await run('reference', ...words, at('10:00'))).split(' ');
  assert.equal(made, 'made');
  assert.equal(await run('reference', ...words, at('10:00')), `found ${id}`);
  assert.equal(await run('reference', ...words, at('11:00')), 'invoice-17 has a booking with another payload');
});

it('books a series, or gives back what it held', async () => {
  const words = ['room-8', at('09:00'), at('10:00')];
  const held = (await run('series', 'course-1', ...words, 3)).split(' ').slice(1);
  assert.equal(held.length, 3);
  await bookings.create({
    slot: { resource_id: 'room-9', start: '2027-03-15T09:30:00Z', end: '2027-03-15T10:30:00Z' },
  });
  const [message = '', ids = ''] = (await run('series', 'course-2', 'room-9', ...words.slice(1), 3)).split(
    '; gives back ',
  );
  assert.equal(message, 'week 3 is taken');
  assert.deepEqual(await Promise.all(ids.split(' ').map(isGone)), [true, true]);
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

it('sends events again that were rejected, those of the cancel desk too', async () => {
  const { booking_id: id } = await book('room-11', '09:00', '10:00');
  const lines = await serve('after-a-bad-day', receiverPort, secret, '1');
  await until(() => lines.includes(`took created-${id}`));
  await cancel(id);
  await until(() => lines.includes(`took deleted-${id}`));
  assert.equal(lines.filter((line) => line.startsWith('rejected')).length, 1);
});
