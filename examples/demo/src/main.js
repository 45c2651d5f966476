import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  BookingsClient,
  IdempotencyKeyReusedError,
  InvalidBookingError,
  SlotTakenError,
} from '@booking-service/client';
import { ServiceProcess } from 'testing';
import { audit } from './audit.js';

/** @typedef {import('@booking-service/client').BookingDto} Booking */
/**
 * A line of `day.jsonl`. With a lost response, the service has received the request nevertheless.
 * @typedef {{ key?: string, response?: 'lost', payload: import('@booking-service/client').CreateBookingDto }} BookingRequest
 */

const lines = readFileSync(new URL('../day.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const requests = lines.map((line) => /** @type {BookingRequest} */ (JSON.parse(line)));
const serves = process.argv.includes('--serve');
// No setting of this environment reaches the service: the demo needs an empty store in memory.
const service = await ServiceProcess.start(serves ? { PORT: process.env['PORT'] ?? '3000' } : {});
try {
  await fillAndAudit();
  if (serves) {
    console.log(`In a browser: ${service.url}/timetable?date=2026-12-03&zone=Europe/Berlin\nPress Ctrl+C to stop.`);
    await Promise.race([service.ended, ...['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))]);
  }
} finally {
  await service.stop();
}

async function fillAndAudit() {
  /** @type {Booking[]} */
  const accepted = [];
  /** @type {Map<string, number>} */
  const rejected = new Map();
  let losesNext = false;
  /** Loses some responses, though the booking was made. @type {typeof fetch} */
  const unreliableFetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!losesNext) return response;
    losesNext = false;
    throw new TypeError('fetch failed');
  };
  const client = new BookingsClient({ baseUrl: service.url, fetch: unreliableFetch });
  for (const { key, response, payload } of requests) {
    losesNext = response === 'lost';
    try {
      accepted.push(await client.create(payload, { idempotencyKey: key }));
    } catch (error) {
      if (!isRejection(error)) throw error;
      rejected.set(error.name, (rejected.get(error.name) ?? 0) + 1);
    }
  }
  const lost = requests.filter(({ response }) => response === 'lost').length;
  console.log(`${requests.length} requests, ${lost} of which lost their response and were retried by the client`);
  const booked = new Set(accepted.map(({ booking_id }) => booking_id)).size;
  const replayed = accepted.length - booked;
  console.log(
    `${booked} booked, ${replayed} replayed, ${[...rejected].map(([name, count]) => `${count} ${name}`).join(', ')}`,
  );
  /** @type {Booking[]} */
  const listed = [];
  for await (const booking of client.listAll({ limit: 100 })) listed.push(booking);
  const errors = audit(listed, accepted);
  if (errors.length > 0) process.exitCode = 1;
  const verdict = 'none is missing, changed or duplicated, and no two overlap';
  console.log(`${listed.length} bookings are listed: ${errors.length === 0 ? verdict : errors.join('\n')}`);
}

/** @param {unknown} error @returns {error is Error} */
function isRejection(error) {
  return [SlotTakenError, InvalidBookingError, IdempotencyKeyReusedError].some((type) => error instanceof type);
}
