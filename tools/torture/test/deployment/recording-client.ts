import { Agent } from 'node:http';
import type { BookingDto, BookingPageDto } from '@booking-service/contracts';
import type { ReceivedResponse } from 'testing/contract';
import { type RawRequest, sendUnchecked } from 'testing/raw-http';
import type { Call, CreateCall, GetCall, History, ListCall, Outcome, Payload, Walk } from '../checks/history.js';

/** Milliseconds after which a response counts as lost. */
const RESPONSE_TIMEOUT = 60_000;

const COLLECTION = '/v1/bookings';

/** Calls the service over persistent connections, and records every call. */
export class RecordingClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(readonly history: History) {}

  async create(replica: string, payload: Payload, key?: string): Promise<CreateCall> {
    const call: CreateCall = { key, payload, outcome: 'unknown', ...justInvoked(replica) };
    this.history.creates.push(call);
    const headers = { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) };
    await this.complete(call, { method: 'POST', target: COLLECTION, headers, body: JSON.stringify(payload) });
    if (call.response !== undefined) call.outcome = outcomeOf(call.response);
    if (call.response?.status === 201) call.bookingId = (JSON.parse(call.response.text) as BookingDto).booking_id;
    return call;
  }

  async get(replica: string, bookingId: string): Promise<GetCall> {
    const call: GetCall = { bookingId, ...justInvoked(replica) };
    this.history.gets.push(call);
    return this.complete(call, { target: `${COLLECTION}/${bookingId}` });
  }

  async list(replica: string, resourceId: string, window?: { from: string; to: string }): Promise<ListCall> {
    const call: ListCall = { resourceId, window, ...justInvoked(replica) };
    this.history.lists.push(call);
    const query = new URLSearchParams({ resource_id: resourceId, limit: '100', ...window });
    return this.complete(call, { target: `${COLLECTION}?${query.toString()}` });
  }

  /** Requests page after page, each from the next replica. */
  async walk(replicas: readonly string[], list: Walk['list'], limit: number): Promise<Walk> {
    const walk: Walk = { list, bookingIds: [], isWhole: false, ...justInvoked(replicas.join(' ')) };
    this.history.walks.push(walk);
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page++) {
      const query = new URLSearchParams({ ...list, limit: String(limit), ...(cursor !== '' && { cursor }) });
      await this.complete(walk, { target: `${COLLECTION}?${query.toString()}` }, replicas[page % replicas.length]);
      if (walk.response?.status !== 200) return walk;
      const shown = JSON.parse(walk.response.text) as BookingPageDto;
      walk.bookingIds.push(...shown.bookings.map(({ booking_id }) => booking_id));
      cursor = shown.next_cursor;
    }
    walk.isWhole = true;
    return walk;
  }

  /** Sends a request that is not recorded. @returns the response; undefined if none is complete */
  async send(replica: string, request: RawRequest): Promise<ReceivedResponse | undefined> {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT);
    return sendUnchecked(replica, { ...request, agent: this.agent, signal }).catch(() => undefined);
  }

  close(): void {
    this.agent.destroy();
  }

  /** Sends a request of a call. In a walk, its response replaces that of the previous page. */
  private async complete<Kind extends Call>(call: Kind, request: RawRequest, replica = call.replica): Promise<Kind> {
    delete call.response;
    const response = await this.send(replica, request);
    return response === undefined ? call : Object.assign(call, { response, completed: performance.now() });
  }
}

function justInvoked(replica: string): Call {
  return { replica, invoked: performance.now(), completed: Number.POSITIVE_INFINITY };
}

function outcomeOf({ status, headers, text }: ReceivedResponse): Outcome {
  if (status === 201) return headers['idempotent-replayed'] === 'true' ? 'replayed' : 'created';
  if (status === 503) return 'unavailable';
  const { type } = JSON.parse(text) as { type: string };
  if (type.endsWith(':slot-taken')) return 'slot-taken';
  return type.endsWith(':idempotency-key-reused') ? 'key-reused' : 'rejected';
}
