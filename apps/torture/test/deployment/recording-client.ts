import { Agent } from 'node:http';
import type { ReceivedResponse } from 'testing/contract';
import { type RawRequest, sendUnchecked } from 'testing/raw-http';
import type { Call, CreateCall, GetCall, History, ListCall, Outcome, Payload, Walk } from '../checks/history.js';

/** Milliseconds after which a response counts as lost. */
const RESPONSE_TIMEOUT = 60_000;

const COLLECTION = '/v1/bookings';

/** Calls the service over connections that it keeps open, as real clients do, and records every call. */
export class RecordingClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(readonly history: History) {}

  async create(replica: string, payload: Payload, key?: string): Promise<CreateCall> {
    const call: CreateCall = { kind: 'create', key, payload, outcome: 'unknown', ...justInvoked(replica) };
    this.history.creates.push(call);
    const headers = { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) };
    await this.complete(call, { method: 'POST', target: COLLECTION, headers, body: JSON.stringify(payload) });
    if (call.response !== undefined) call.outcome = outcomeOf(call.response);
    return call;
  }

  async get(replica: string, bookingId: string): Promise<GetCall> {
    const call: GetCall = { kind: 'get', bookingId, ...justInvoked(replica) };
    this.history.gets.push(call);
    return this.complete(call, { target: `${COLLECTION}/${bookingId}` });
  }

  async list(replica: string, resourceId: string, window?: { from: string; to: string }): Promise<ListCall> {
    const call: ListCall = { kind: 'list', resourceId, window, ...justInvoked(replica) };
    this.history.lists.push(call);
    const query = new URLSearchParams({ resource_id: resourceId, limit: '100', ...window });
    return this.complete(call, { target: `${COLLECTION}?${query.toString()}` });
  }

  /** Requests page after page, each from the next replica. */
  async walk(replicas: readonly string[], list: Walk['list'], limit: number): Promise<Walk> {
    const walk: Walk = { kind: 'walk', list, bookingIds: [], isWhole: false, ...justInvoked(replicas.join(' ')) };
    this.history.walks.push(walk);
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page++) {
      const query = new URLSearchParams({ ...list, limit: String(limit), ...(cursor !== '' && { cursor }) });
      await this.complete(walk, { target: `${COLLECTION}?${query.toString()}` }, replicas[page % replicas.length]);
      if (walk.response?.status !== 200) return walk;
      const shown = JSON.parse(walk.response.text) as {
        bookings: { booking_id: string }[];
        next_cursor: string | null;
      };
      walk.bookingIds.push(...shown.bookings.map(({ booking_id }) => booking_id));
      cursor = shown.next_cursor;
    }
    walk.isWhole = true;
    return walk;
  }

  /** One request outside the history; undefined where no whole response came. */
  async send(replica: string, request: RawRequest): Promise<ReceivedResponse | undefined> {
    try {
      const signal = AbortSignal.timeout(RESPONSE_TIMEOUT);
      return await sendUnchecked(replica, { ...request, agent: this.agent, signal });
    } catch {
      // Refused, cut or timed out. So is a connection that was idle when the server died.
      return undefined;
    }
  }

  close(): void {
    this.agent.destroy();
  }

  /** Sends a request of a call, and keeps what came of it: no response is that of an earlier page. */
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
