import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  type BookingDto,
  BookingsClient,
  type CreateBookingDto,
  IdempotencyKeyReusedError,
  InvalidBookingError,
  SlotTakenError,
} from '@booking-service/client';
import { ServiceProcess } from 'testing';
import { audit } from './audit.js';

/** A line of `day.jsonl`: a request of one of the four houses. */
interface BookingRequest {
  /** The idempotency key, if the sender chose one. */
  key?: string;
  /** The request reaches the service, and its response is lost. */
  response?: 'lost';
  payload: CreateBookingDto;
}

const lines = readFileSync(new URL('../day.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const requests = lines.map((line) => JSON.parse(line) as BookingRequest);
/** Keeps the service running. */
const serves = process.argv.includes('--serve');
// The demo fills an empty store in memory, so the service gets nothing from this environment.
const service = await ServiceProcess.start(serves ? { PORT: process.env['PORT'] ?? '3000' } : {});
try {
  await fillAndAudit();
  if (serves) {
    print(`In a browser: ${service.url}/timetable?date=2026-12-03&zone=Europe/Berlin\nPress Ctrl+C to stop.`);
    await Promise.race([service.ended, ...['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))]);
  }
} finally {
  await service.stop();
}

async function fillAndAudit(): Promise<void> {
  const accepted: BookingDto[] = [];
  const rejected = new Map<string, number>();
  let losesNext = false;
  /** A network that can lose a response: the worst case for a create, because the booking may have been made. */
  const unreliableFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!losesNext) return response;
    losesNext = false;
    // As Node's fetch does when a connection breaks.
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
  print(`${requests.length} requests, ${lost} of which lost their response and were retried by the client`);
  print(`${accepted.length} accepted, ${[...rejected].map(([name, count]) => `${count} ${name}`).join(', ')}`);
  const listed: BookingDto[] = [];
  for await (const booking of client.listAll({ limit: 100 })) listed.push(booking);
  const errors = audit(listed, accepted);
  if (errors.length > 0) process.exitCode = 1;
  const verdict = 'none is missing, changed or duplicated, and no two overlap';
  print(`${listed.length} bookings are listed: ${errors.length === 0 ? verdict : errors.join('\n')}`);
}

function isRejection(error: unknown): error is Error {
  return [SlotTakenError, InvalidBookingError, IdempotencyKeyReusedError].some((type) => error instanceof type);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
