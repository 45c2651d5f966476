import type { ReceivedResponse, OutgoingRequest } from './exchange.js';
import { problemType } from './problem-types.js';
import { objectIn, readObject } from './reading.js';

/** Maximum bytes of a body to which members are added. Larger ones could then exceed the limit of 65,536 bytes. */
const MAX_CHANGED_BYTES = 60_000;
/** Pointers to reserved members: errors there are put down to the interface, not to a deployment's schema. */
const RESERVED = /^#\/(slot|booking_id|created_at)(\/|$)/;

/** Adds to payloads the members that a deployment's schema requires, and notes requests that the schema rejects. */
export class DeploymentPayload {
  readonly #members: string;
  readonly #rejected = new WeakSet<OutgoingRequest>();

  /** @param payload a payload that the schema accepts; its `slot` is ignored */
  constructor(payload: object | undefined) {
    const { slot: _, ...members } = { slot: undefined, ...payload };
    this.#members = JSON.stringify(members).slice(1, -1);
  }

  /** The request with the members added. Members of its own payload take precedence. */
  withMembers<Request extends OutgoingRequest>(request: Request): Request {
    const { method, body } = request;
    if (this.#members === '' || method !== 'POST' || typeof body !== 'string' || !isObject(body)) return request;
    const rest = body.trimStart().slice(1);
    const comma = rest.trimStart().startsWith('}') ? '' : ',';
    return { ...request, body: `{${this.#members}${comma}${rest}` };
  }

  noteRejection(response: ReceivedResponse): void {
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
  const hasSlot = Buffer.from(response.request.body ?? '').includes('"slot"');
  // An error at a missing slot is the schema's, although `slot` is reserved: the interface requires no slot.
  const isOfSchema = (pointer: string): boolean => !RESERVED.test(pointer) || (pointer === '#/slot' && !hasSlot);
  return pointers.length > 0 && pointers.every(isOfSchema);
}

/** The errors of a 422 `invalid-booking`; undefined for any other response. */
export function errorsOf(response: ReceivedResponse): { pointer: string; detail: string }[] | undefined {
  if (response.request.method !== 'POST' || response.status !== 422) return undefined;
  const { type, errors } = readObject(response);
  if (type !== problemType('invalid-booking') || !Array.isArray(errors)) return undefined;
  return errors as { pointer: string; detail: string }[];
}
