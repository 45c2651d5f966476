import {
  type ReceivedResponse,
  type CreateCall,
  type GetCall,
  History,
  type KeptBooking,
  type ListCall,
  type Outcome,
  type Walk,
} from './history.js';

/** Histories that never happened, for the tests of the checks. Every booking is named after its request. */
export type Recorded = Partial<Pick<History, 'creates' | 'gets' | 'lists' | 'walks'>>;

const RESOURCE = 'room';
const REPLICA = 'http://replica';
const STATUS_OF: Record<Outcome, number | undefined> = {
  created: 201,
  replayed: 201,
  'slot-taken': 409,
  'key-reused': 422,
  rejected: 422,
  unavailable: 503,
  unknown: undefined,
};

interface Timed {
  time: [invoked: number, completed: number];
}

interface Made {
  request: string;
  hours?: [start: number, end: number];
  key?: string;
}

export function aHistory(recorded: Recorded): History {
  return Object.assign(new History(), recorded);
}

export function aCreate({
  request,
  hours,
  key,
  time = [0, 1],
  outcome = 'created',
  body,
}: Made & Partial<Timed> & { outcome?: Outcome; body?: string }): CreateCall {
  const status = STATUS_OF[outcome];
  const slot = hours && slotOf(hours);
  const response =
    status === undefined ? undefined : aResponse(status, body ?? (status === 201 ? bodyOf(request) : undefined));
  const payload = { request, ...(slot && { slot }) };
  return { kind: 'create', replica: REPLICA, key, payload, outcome, ...timesOf(time), ...(response && { response }) };
}

export function aGet(bookingId: string, { time, response }: Timed & { response?: ReceivedResponse }): GetCall {
  const found = response ?? aResponse(200, bodyOf(bookingId));
  return { kind: 'get', replica: REPLICA, bookingId, ...timesOf(time), response: found };
}

export function aList(ids: string[], { time, window }: Timed & { window?: ListCall['window'] }): ListCall {
  const body = JSON.stringify({ bookings: ids.map((id) => ({ booking_id: id })), next_cursor: null });
  return {
    kind: 'list',
    replica: REPLICA,
    resourceId: RESOURCE,
    window,
    ...timesOf(time),
    response: aResponse(200, body),
  };
}

export function aWalk(bookingIds: string[], { time }: Timed): Walk {
  return { kind: 'walk', replica: REPLICA, sort: 'created_at', bookingIds, isWhole: true, ...timesOf(time) };
}

export function aRow({ request, hours, key }: Made): KeptBooking {
  const slot = hours && slotOf(hours);
  return {
    bookingId: request,
    resourceId: slot?.resource_id ?? null,
    start: slot === undefined ? 0 : Date.parse(slot.start),
    end: slot === undefined ? 0 : Date.parse(slot.end),
    key: key ?? null,
    json: bodyOf(request),
  };
}

export function aResponse(status: number, body = JSON.stringify({ status })): ReceivedResponse {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  return { status, headers: { 'content-type': type, 'x-request-id': '1', 'retry-after': '1' }, body };
}

export function bodyOf(request: string): string {
  return JSON.stringify({ booking_id: request, request });
}

/** The body of a 409. */
export function slotTaken(...hours: [number, number]): string {
  return JSON.stringify({ status: 409, conflicting_slot: slotOf(hours) });
}

function slotOf([start, end]: [number, number]): { resource_id: string; start: string; end: string } {
  const at = (hour: number): string => `2026-12-01T${String(hour).padStart(2, '0')}:00:00.000Z`;
  return { resource_id: RESOURCE, start: at(start), end: at(end) };
}

function timesOf([invoked, completed]: [number, number]): { invoked: number; completed: number } {
  return { invoked, completed };
}
