import { readFileSync } from 'node:fs';
import type { CreateBookingDto } from '@booking-service/client';

/** A line of `week.jsonl`: a request of one of the four houses. */
export interface BookingRequest {
  /** When it was sent, in the local time of the house. */
  at: string;
  via: 'front desk' | 'phone' | 'website' | 'app';
  /** The idempotency key, if the sender chose one. */
  key?: string;
  /** The request reaches the service, and its response is lost. */
  response?: 'lost';
  payload: CreateBookingDto;
}

/** The requests of the week in the order they were sent. */
export function readWeek(): BookingRequest[] {
  const text = readFileSync(new URL('../week.jsonl', import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as BookingRequest);
}
