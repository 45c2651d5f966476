import { once } from 'node:events';
import { type BookingDto, BookingsClient } from '@booking-service/client';
import { ServiceProcess } from 'testing';
import { audit } from './audit.js';
import { Replay } from './replay.js';
import { summary } from './summary.js';
import { timetable } from './timetable.js';
import { UnreliableNetwork } from './unreliable-network.js';
import { type BookingRequest, readWeek } from './week.js';

/** Keeps the service running after the replay. */
const serves = process.argv.includes('--serve');

const week = readWeek();
print(`Harbour House: a library in Lisbon, a workshop in Berlin, a clinic in New York, a sports hall in Tokyo.
The week from Monday 30 November 2026, ${week.length} requests in the order of their arrival:
`);

// The demo fills an empty store in memory, so the service gets nothing from this environment.
const service = await ServiceProcess.start(serves ? { PORT: process.env['PORT'] ?? '3000' } : {});
try {
  const network = new UnreliableNetwork();
  const client = new BookingsClient({ baseUrl: service.url, fetch: network.fetch });
  const replay = new Replay(client, network);
  const startedAt = Date.now();
  for (const [day, requests] of byDay(week)) {
    const [accepted, rejected, lost] = [replay.accepted.length, replay.rejected.length, network.lost];
    for (const request of requests) await replay.send(request);
    const counts = [
      `${count(requests.length)} requests`,
      `${count(replay.accepted.length - accepted)} accepted`,
      `${count(replay.rejected.length - rejected)} rejected`,
      `${count(network.lost - lost)} responses lost and recovered`,
    ];
    print(`  ${day}  ${counts.join('  ')}`);
  }
  print(`  replayed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n\n${summary(replay, network.lost)}`);

  const listed = await collect(client.listAll({ limit: 100 }));
  const faults = audit(listed, replay);
  if (faults.length > 0) process.exitCode = 1;
  print(`\nAudit of all ${listed.length} bookings that the service lists:`);
  const verdict = 'none is missing, changed or duplicated; no two overlap; every rejected slot is taken';
  print(`  ${faults.length === 0 ? verdict : faults.join('\n  ')}`);

  const wednesday = client.listAll({ from: '2026-12-02T00:00:00Z', to: '2026-12-03T00:00:00Z' });
  print('\nWednesday 2 December 2026 in UTC (Berlin +1 h, Tokyo +9 h, New York -5 h)');
  print('Each column is 15 minutes; adjacent bookings alternate in shade.');
  print(timetable('2026-12-02', await collect(wednesday)));
  if (serves) await serveUntilStopped();
} finally {
  await service.stop();
}

/** Serves the timetable of the week until Ctrl+C or a signal. */
async function serveUntilStopped(): Promise<void> {
  print(`\nIn a browser: ${service.url}/timetable?date=2026-12-02&zone=Europe/Berlin\nPress Ctrl+C to stop.`);
  await Promise.race([service.ended, ...['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))]);
}

/** The requests of each day (UTC), in chronological order. */
function byDay(requests: BookingRequest[]): Map<string, BookingRequest[]> {
  const days = new Map<string, BookingRequest[]>();
  for (const request of requests) {
    const day = new Date(request.at).toISOString().slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), request]);
  }
  return days;
}

async function collect(bookings: AsyncIterable<BookingDto>): Promise<BookingDto[]> {
  const all: BookingDto[] = [];
  for await (const booking of bookings) all.push(booking);
  return all;
}

function count(value: number): string {
  return String(value).padStart(3);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
