import { readFileSync } from 'node:fs';
import type { CreateBookingDto } from '@booking-service/client';

/** One line of `week.jsonl`: a request as one of the four houses sent it. */
export interface BookingRequest {
  /** When it was sent, on the clock of the house. */
  at: string;
  via: 'front desk' | 'phone' | 'website' | 'app';
  /** The idempotency key, where the sender chose one. */
  key?: string;
  /** The request reaches the service, and its response does not come back. */
  response?: 'lost';
  payload: CreateBookingDto;
}

/** The requests of the week in the order in which they were sent. */
export function readWeek(): BookingRequest[] {
  const text = readFileSync(new URL('../week.jsonl', import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as BookingRequest);
}
