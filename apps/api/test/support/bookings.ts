import { randomUUID } from 'node:crypto';
import {
  type BookingDto,
  type BookingPageDto,
  type ProblemDto,
  type ProblemName,
  problemType,
  problemTypes,
  type SlotDto,
} from '@booking-service/contracts';
import type { Api } from './api.js';

/** A resource that no other test knows. */
export function aResource(): string {
  return `room ${randomUUID()}`;
}

export function aKey(): string {
  return randomUUID();
}

/** An instant, in hours after the start of 1 December 2026, as the service returns it. */
export function at(hours: number): string {
  return new Date(Date.parse('2026-12-01T00:00:00.000Z') + hours * 3_600_000).toISOString();
}

/** A slot between two {@link at} hours. */
export function aSlot(resourceId: string, start = 9, end = start + 1): SlotDto {
  return { resource_id: resourceId, start: at(start), end: at(end) };
}

/** Makes a booking that is not refused. */
export async function create(service: Api, payload: object = {}): Promise<BookingDto> {
  const { body } = await service.post('/v1/bookings').send(payload).expect(201);
  return body as BookingDto;
}

/**
 * Sends a payload with a key, sees it refused, and sees that nothing is left of it: the list is as
 * it was, the key and the slot are free.
 *
 * @param slot the slot of the payload, where it has a good one
 */
export async function refuseCreate(
  service: Api,
  json: string,
  status: number,
  slot = aSlot(aResource()),
): Promise<ProblemDto> {
  const key = aKey();
  const before = await list(service);
  const refused = await service.post('/v1/bookings').type('json').set('Idempotency-Key', key).send(json).expect(status);
  expect(refused.headers).not.toHaveProperty('location');
  expect(await list(service)).toEqual(before);
  const next = await service.post('/v1/bookings').set('Idempotency-Key', key).send({ slot }).expect(201);
  expect(next.headers).not.toHaveProperty('idempotent-replayed');
  return refused.body as ProblemDto;
}

export async function list(service: Api, query: Record<string, string | number> = {}): Promise<BookingPageDto> {
  const { body } = await service.get('/v1/bookings').query(query).expect(200);
  return body as BookingPageDto;
}

/** Every page from the first on; calls `between` after each. */
export async function walk(
  service: Api,
  query: Record<string, string | number>,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<BookingDto[]> {
  const walked: BookingDto[] = [];
  let page = await list(service, query);
  for (;;) {
    walked.push(...page.bookings);
    await between();
    if (page.next_cursor === null) return walked;
    page = await list(service, { ...query, cursor: page.next_cursor });
  }
}

export function idsOf(bookings: readonly BookingDto[]): string[] {
  return bookings.map(({ booking_id }) => booking_id);
}

/** What a problem of one type looks like, for `toMatchObject`. */
export function aProblem(name: ProblemName): Partial<ProblemDto> {
  return { type: problemType(name), ...problemTypes[name] };
}

/** The pointers of a problem's `errors`. */
export function pointersOf(problem: unknown): string[] {
  return ((problem as ProblemDto).errors ?? []).map(({ pointer }) => pointer);
}
