import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type {
  ReceivedResponse,
  CreateCall,
  GetCall,
  History,
  ListCall,
  Outcome,
  Payload,
  Walk,
} from '../checks/history.js';

/** Milliseconds after which a response counts as lost. */
const RESPONSE_TIMEOUT = 10_000;

/**
 * Milliseconds for which an idle connection is kept: less than the service keeps it, which may close one just as a client
 * uses it (RFC 9112 §9.3.1).
 */
const KEEP_ALIVE = 4_000;

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Calls the service over connections that it keeps open, as real clients do, and records every call. */
export class RecordingClient {
  private readonly agent = new Agent({ keepAlive: true, timeout: KEEP_ALIVE });

  constructor(readonly history: History) {}

  async create(replica: string, payload: Payload, key?: string): Promise<CreateCall> {
    const call: CreateCall = { kind: 'create', replica, key, payload, outcome: 'unknown', ...justInvoked() };
    this.history.creates.push(call);
    const headers = { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) };
    const response = await this.send('POST', `${replica}/v1/bookings`, headers, JSON.stringify(payload));
    complete(call, response);
    if (response !== undefined) call.outcome = outcomeOf(response);
    return call;
  }

  async get(replica: string, bookingId: string): Promise<GetCall> {
    const call: GetCall = { kind: 'get', replica, bookingId, ...justInvoked() };
    this.history.gets.push(call);
    complete(call, await this.send('GET', `${replica}/v1/bookings/${bookingId}`));
    return call;
  }

  async list(replica: string, resourceId: string, window?: { from: string; to: string }): Promise<ListCall> {
    const call: ListCall = { kind: 'list', replica, resourceId, window, ...justInvoked() };
    this.history.lists.push(call);
    const query = new URLSearchParams({ resource_id: resourceId, limit: '100', ...window });
    complete(call, await this.send('GET', `${replica}/v1/bookings?${query.toString()}`));
    return call;
  }

  /** Requests page after page, each from the next replica. */
  async walk(replicas: readonly string[], sort: string, limit: number): Promise<Walk> {
    const walk: Walk = {
      kind: 'walk',
      replica: replicas.join(' '),
      sort,
      bookingIds: [],
      isWhole: false,
      ...justInvoked(),
    };
    this.history.walks.push(walk);
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page++) {
      const query = new URLSearchParams({ sort, limit: String(limit), ...(cursor !== '' && { cursor }) });
      const response = await this.send('GET', `${replicas[page % replicas.length]}/v1/bookings?${query.toString()}`);
      complete(walk, response);
      if (response?.status !== 200) return walk;
      const shown = JSON.parse(response.body) as { bookings: { booking_id: string }[]; next_cursor: string | null };
      walk.bookingIds.push(...shown.bookings.map(({ booking_id }) => booking_id));
      cursor = shown.next_cursor;
    }
    walk.isWhole = true;
    return walk;
  }

  /** One request outside the history; undefined where no whole response came. */
  async send(
    method: string,
    url: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<ReceivedResponse | undefined> {
    try {
      return await this.exchange(method, url, headers, body);
    } catch {
      // Refused, cut or timed out. So is a connection that was idle when the server died.
      return undefined;
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private exchange(
    method: string,
    url: string,
    headers: Record<string, string>,
    body: string | undefined,
  ): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(RESPONSE_TIMEOUT);
      const outgoing = request(url, { method, agent: this.agent, signal, headers }, (incoming) => {
        const status = incoming.statusCode!;
        const receivedHeaders: IncomingHttpHeaders = incoming.headers;
        buffer(incoming)
          .then((bytes) => resolve({ status, headers: receivedHeaders, body: UTF_8.decode(bytes) }))
          .catch(reject);
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }
}

function justInvoked(): { invoked: number; completed: number } {
  return { invoked: performance.now(), completed: Number.POSITIVE_INFINITY };
}

function complete(
  call: { completed: number; response?: ReceivedResponse },
  response: ReceivedResponse | undefined,
): void {
  if (response === undefined) return;
  call.completed = performance.now();
  call.response = response;
}

function outcomeOf({ status, headers, body }: ReceivedResponse): Outcome {
  if (status === 201) return headers['idempotent-replayed'] === 'true' ? 'replayed' : 'created';
  if (status === 503) return 'unavailable';
  const { type } = JSON.parse(body) as { type: string };
  if (type.endsWith(':slot-taken')) return 'slot-taken';
  return type.endsWith(':idempotency-key-reused') ? 'key-reused' : 'rejected';
}
