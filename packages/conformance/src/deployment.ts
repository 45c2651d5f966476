import type { ReceivedResponse, OutgoingRequest } from './exchange.js';
import { objectIn, readObject } from './reading.js';

/** Larger bodies test their size, which must not change. */
const MAX_CHANGED_BYTES = 60_000;
/** Members of the interface: a deployment's schema may not reject them for reasons other than the interface's. */
const RESERVED = /^#\/(slot|booking_id|created_at)(\/|$)/;

/**
 * The members that a deployment's schema requires, added to every payload of a run that lacks them, and the requests
 * that the schema rejects nevertheless.
 */
export class DeploymentPayload {
  readonly #members: string;
  readonly #rejected = new WeakSet<OutgoingRequest>();

  /** @param payload one that the schema accepts; its `slot` is left out, since a run books its own slots */
  constructor(payload: object | undefined) {
    const { slot: _, ...members } = { slot: undefined, ...payload };
    this.#members = JSON.stringify(members).slice(1, -1);
  }

  /** The request with the members added to its payload, if it has one; present members take precedence. */
  addedTo(request: OutgoingRequest): OutgoingRequest {
    const { method, body } = request;
    if (this.#members === '' || method !== 'POST' || typeof body !== 'string' || !isObject(body)) return request;
    const rest = body.trimStart().slice(1);
    return { ...request, body: `{${this.#members}${rest.trimStart().startsWith('}') ? '' : ','}${rest}` };
  }

  /** Remembers the requests whose payload only the schema rejects. */
  note(response: ReceivedResponse): void {
    if (this.#members !== '' && isRejectedBySchema(response)) this.#rejected.add(response.request);
  }

  isRejected(request: OutgoingRequest | undefined): boolean {
    return request !== undefined && this.#rejected.has(request);
  }
}

function isObject(body: string): boolean {
  return Buffer.byteLength(body) <= MAX_CHANGED_BYTES && objectIn(body) !== undefined;
}

function isRejectedBySchema(response: ReceivedResponse): boolean {
  const pointers = errorsOf(response)?.map(({ pointer }) => pointer) ?? [];
  const hasSlot = /"slot"/.test(String(response.request.body ?? ''));
  return (
    pointers.length > 0 && pointers.every((pointer) => !RESERVED.test(pointer) || (pointer === '#/slot' && !hasSlot))
  );
}

/** The errors of a response that is 422 `invalid-booking`. */
export function errorsOf(response: ReceivedResponse): { pointer: string; detail: string }[] | undefined {
  if (response.request.method !== 'POST' || response.status !== 422) return undefined;
  const { type, errors } = readObject(response);
  if (type !== 'urn:problem-type:bookings:invalid-booking' || !Array.isArray(errors)) return undefined;
  return errors as { pointer: string; detail: string }[];
}
