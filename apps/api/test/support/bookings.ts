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

export function aResource(): string {
  return `room ${randomUUID()}`;
}

export function aKey(): string {
  return randomUUID();
}

/** @param hours after the start of 1 December 2026 */
export function at(hours: number): string {
  return new Date(Date.parse('2026-12-01T00:00:00.000Z') + hours * 3_600_000).toISOString();
}

export function aSlot(resourceId: string, start = 9, end = start + 1): SlotDto {
  return { resource_id: resourceId, start: at(start), end: at(end) };
}

export async function create(service: Api, payload: object = {}): Promise<BookingDto> {
  const { body } = await service.post('/v1/bookings').send(payload).expect(201);
  return body as BookingDto;
}

export async function list(service: Api, query: Record<string, string | number> = {}): Promise<BookingPageDto> {
  const { body } = await service.get('/v1/bookings').query(query).expect(200);
  return body as BookingPageDto;
}

export function aProblem(name: ProblemName): Partial<ProblemDto> {
  const { status, title } = problemTypes[name];
  return { type: problemType(name), status, title };
}

export function pointersOf(problem: unknown): string[] {
  return ((problem as ProblemDto).errors ?? []).map(({ pointer }) => pointer);
}
