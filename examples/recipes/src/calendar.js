/** A calendar to subscribe to: `http://localhost:4200/SECRET/room-7.ics`. */
import { createHash } from 'node:crypto';
import express from 'express';
import ical, { ICalCalendarMethod } from 'ical-generator';
import { bookings } from './bookings.js';

const { CALENDAR_SECRET = '', PORT = '4200' } = process.env;
const DAY = 86_400_000;

/** A digest: how long comparing two takes reveals nothing about the texts. @param {string} text */
const digest = (text) => createHash('sha256').update(text).digest('hex');

/** @param {string} resource */
async function calendarOf(resource) {
  const calendar = ical({ name: resource, method: ICalCalendarMethod.PUBLISH, ttl: 3_600 });
  const today = Math.floor(Date.now() / DAY) * DAY;
  const window = { resource_id: resource, from: new Date(today - 30 * DAY), to: new Date(today + 365 * DAY) };
  for await (const { booking_id: id, created_at, slot, title } of bookings.listAll({ ...window, limit: 100 })) {
    if (slot === undefined) continue;
    const { start } = slot;
    // Times of a calendar are whole seconds, and an end comes after its start (RFC 5545, 3.8.2.2).
    const end = new Date(Math.max(Date.parse(slot.end), Date.parse(start) + 1_000));
    // By default `stamp` is the current time, which would change the ETag each time.
    calendar.createEvent({ id, stamp: created_at, start, end, summary: typeof title === 'string' ? title : 'Booked' });
  }
  return calendar.toString();
}

const server = express().set('env', 'production').disable('x-powered-by');
server.get('/:secret/:resource.ics', async (request, response) => {
  const { secret, resource } = request.params;
  if (CALENDAR_SECRET === '' || digest(secret) !== digest(CALENDAR_SECRET)) {
    response.sendStatus(404);
    return;
  }
  response.set({ 'Cache-Control': 'private, max-age=300', 'Content-Type': 'text/calendar; charset=utf-8' });
  response.send(await calendarOf(resource));
});
server.listen(Number(PORT), () => console.log(`Calendars on http://localhost:${PORT}`));
