import type { BookingEventDto } from './types.js';

export type {
  BookingCreatedEventDto,
  BookingDeletedEventDto,
  BookingDto,
  BookingEventDto,
  PingEventDto,
} from './types.js';

/** The invalid part of a request. */
export type InvalidEventReason = 'header' | 'timestamp' | 'signature' | 'body';

/** The request is not a recent event from the service. Trust nothing in it. */
export class InvalidEventError extends Error {
  override readonly name = 'InvalidEventError';
  readonly reason: InvalidEventReason;

  constructor(reason: InvalidEventReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Request headers, as in `fetch` or in Node. Names are case-insensitive. */
export type EventHeaders = Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ParseOptions {
  /** Maximum seconds between `webhook-timestamp` and `now`, default 300. */
  tolerance?: number;
  /** The current time in milliseconds since 1970, default `Date.now()`. */
  now?: number;
}

/**
 * Verifies an event from the service (Standard Webhooks 1.0) and returns it. The members of `data` are not checked.
 * Later versions may add types: acknowledge an event with an unknown `type`.
 *
 * @param body the text of the body exactly as it arrived, before it is parsed
 * @param secrets the endpoint's secret, or both during a rotation, each `whsec_` and the Base64 of 24 to 64 bytes
 * @throws InvalidEventError unless the request is an event signed with one of the secrets, within the tolerance
 * @throws TypeError for a malformed or missing secret, and for a body that is not a string
 */
export async function parseBookingEvent<Details extends object = Record<string, unknown>>(
  body: string,
  headers: EventHeaders,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() }: ParseOptions = {},
): Promise<BookingEventDto<Details>> {
  if (typeof body !== 'string') throw new TypeError('The body must be the text of the request, before it is parsed.');
  const keys = [secrets].flat().map(readSecret);
  if (keys.length === 0) throw new TypeError('At least one secret is required.');
  const id = requiredHeader(headers, 'webhook-id');
  const timestamp = requiredHeader(headers, 'webhook-timestamp');
  const signatures = requiredHeader(headers, 'webhook-signature');
  if (!/^\d+$/.test(timestamp) || !(Math.abs(now / 1000 - Number(timestamp)) <= tolerance)) {
    throw new InvalidEventError('timestamp', `The request was not signed within ${tolerance} seconds of now.`);
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  if (!(await isSigned(signed, signatures, keys))) {
    throw new InvalidEventError('signature', 'The request is not signed with a secret of this endpoint.');
  }
  return readEvent(body, id) as BookingEventDto<Details>;
}

function requiredHeader(headers: EventHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (!value) throw new InvalidEventError('header', `The request has no ${name}.`);
  return value;
}

function headerOf(headers: EventHeaders, name: string): string | null | undefined {
  if (typeof headers.get === 'function') return headers.get(name);
  const found = Object.entries(headers as Exclude<EventHeaders, Pick<Headers, 'get'>>).find(
    ([key]) => key.toLowerCase() === name,
  );
  return found?.[1]?.toString();
}

function readSecret(secret: string): Uint8Array<ArrayBuffer> {
  const [, base64] = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/.exec(secret) ?? [];
  if (base64 === undefined || base64.length % 4 > 0)
    throw new TypeError('A secret is `whsec_` and the Base64 of 24 to 64 bytes.');
  return bytesOf(base64);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Whether a key made one of the signatures. Computes one HMAC per key, as anyone can send thousands of signatures. */
async function isSigned(signed: BufferSource, signatures: string, keys: Uint8Array<ArrayBuffer>[]): Promise<boolean> {
  const given = [...signatures.matchAll(/(?<![^ ])v1,([A-Za-z0-9+/]{43}=)(?![^ ])/g)].map(([, base64]) =>
    bytesOf(base64!),
  );
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign']);
    const own = new Uint8Array(await crypto.subtle.sign(hmac, key, signed));
    if (given.some((signature) => areEqual(own, signature))) return true;
  }
  return false;
}

/** Compares bytes of equal length in constant time. */
function areEqual(some: Uint8Array, others: Uint8Array): boolean {
  let difference = 0;
  for (const [index, byte] of some.entries()) difference |= byte ^ others[index]!;
  return difference === 0;
}

function readEvent(body: string, id: string): unknown {
  let event: Record<string, unknown> | null = null;
  try {
    event = JSON.parse(body) as typeof event;
  } catch {
    // The error is thrown below.
  }
  if (event?.['specversion'] !== '1.0' || event['id'] !== id || typeof event['type'] !== 'string') {
    throw new InvalidEventError('body', 'The body is not the event of webhook-id.');
  }
  return event;
}
