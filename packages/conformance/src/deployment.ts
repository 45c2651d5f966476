import type { Connection } from './connection.js';
import type { ReceivedResponse, OutgoingRequest } from './exchange.js';
import { NoResponse } from './failure.js';
import { aResource, aSlot } from './inventions.js';
import type { Settings } from './options.js';
import { readObject } from './reading.js';
import { COLLECTION, JSON_HEADERS } from './service.js';

/** Nothing speaks HTTP at the URL. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The service asks for more than the run was given: a token, or payloads that its own schema takes. */
export class NotCheckableError extends Error {
  override readonly name = 'NotCheckableError';
}

/** Larger bodies are about their size, which must stay as it is. */
const MAX_CHANGED_BYTES = 60_000;
/** Members of the interface, which no deployment's schema may reject otherwise than the interface does. */
const RESERVED = /^#\/(slot|booking_id|created_at)(\/|$)/;

/**
 * The members that a deployment's schema asks for, put into every payload of a run that does not have them, and what
 * that schema rejects all the same.
 */
export class DeploymentPayload {
  readonly #members: string;
  readonly #rejected = new WeakSet<OutgoingRequest>();

  /** @param payload one that the schema takes; its `slot` is left out, since a run books slots of its own */
  constructor(payload: object | undefined) {
    const { slot: _, ...members } = { slot: undefined, ...payload };
    this.#members = JSON.stringify(members).slice(1, -1);
  }

  /** The request with the members in its payload, if it has one; those that are there already count. */
  addedTo(request: OutgoingRequest): OutgoingRequest {
    const { method, body } = request;
    if (this.#members === '' || method !== 'POST' || typeof body !== 'string' || !isObject(body)) return request;
    const rest = body.trimStart().slice(1);
    return { ...request, body: `{${this.#members}${rest.trimStart().startsWith('}') ? '' : ','}${rest}` };
  }

  /** Remembers the requests whose payload the schema rejects, and nothing else does. */
  note(response: ReceivedResponse): void {
    if (this.#members !== '' && isRejectedBySchema(response)) this.#rejected.add(response.request);
  }

  isRejected(request: OutgoingRequest | undefined): boolean {
    return request !== undefined && this.#rejected.has(request);
  }
}

function isObject(body: string): boolean {
  if (Buffer.byteLength(body) > MAX_CHANGED_BYTES) return false;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function isRejectedBySchema(response: ReceivedResponse): boolean {
  const pointers = faultsOf(response)?.map(({ pointer }) => pointer) ?? [];
  const hasSlot = /"slot"/.test(String(response.request.body ?? ''));
  return (
    pointers.length > 0 && pointers.every((pointer) => !RESERVED.test(pointer) || (pointer === '#/slot' && !hasSlot))
  );
}

/** The errors of a response that is 422 `invalid-booking`. */
function faultsOf(response: ReceivedResponse): { pointer: string; detail: string }[] | undefined {
  if (response.request.method !== 'POST' || response.status !== 422) return undefined;
  const { type, errors } = readObject(response);
  if (type !== 'urn:problem-type:bookings:invalid-booking' || !Array.isArray(errors)) return undefined;
  return errors as { pointer: string; detail: string }[];
}

/**
 * Whether a run can say anything about the service: a list, and where it may write a create.
 *
 * @throws UnreachableError, NotCheckableError
 */
export async function probe(connection: Connection, { url, headers, readOnly, payload }: Settings): Promise<void> {
  const send = async (request: OutgoingRequest): Promise<ReceivedResponse> => {
    try {
      return await connection.send(request);
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      throw new UnreachableError(`nothing responds at ${url.href}: ${error.reason}`, { cause: error });
    }
  };
  expectAllowed(await send({ method: 'GET', target: COLLECTION }), 'bookings:read', headers);
  if (readOnly) return;
  const slot = payload === undefined ? {} : { slot: aSlot(aResource()) };
  const create = await send({
    method: 'POST',
    target: COLLECTION,
    headers: JSON_HEADERS,
    body: JSON.stringify(slot),
  });
  expectAllowed(create, 'bookings:write', headers);
  const [fault] = faultsOf(create) ?? [];
  if (fault === undefined) return;
  const why = `${fault.pointer} ${fault.detail}`;
  throw new NotCheckableError(
    payload === undefined
      ? `the service has a schema of its own, which rejects {} (${why}): give a payload that it takes with --payload FILE`
      : `the service rejects the payload of --payload with a slot of this run (${why}): give one that it takes`,
  );
}

function expectAllowed({ status }: ReceivedResponse, scope: string, headers: Settings['headers']): void {
  if (status === 401) {
    throw new NotCheckableError(
      'authorization' in headers
        ? 'the service does not take the token of --header: give a good one'
        : "the service asks for a token: give one with --header 'Authorization: Bearer TOKEN'",
    );
  }
  if (status === 403) {
    const instead = scope === 'bookings:write' ? ', or use --read-only' : '';
    throw new NotCheckableError(`the token has not the scope ${scope}: give one that has${instead}`);
  }
}
