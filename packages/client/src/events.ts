import type { BookingEventDto } from './types.js';

export type {
  BookingCreatedEventDto,
  BookingDeletedEventDto,
  BookingDto,
  BookingEventDto,
  PingEventDto,
} from './types.js';

/** What is wrong with a request that is not accepted as an event. */
export type InvalidEventReason = 'header' | 'timestamp' | 'signature' | 'body';

/** The request is not an event of the service, or was not signed near now; trust nothing in it. */
export class InvalidEventError extends Error {
  override readonly name = 'InvalidEventError';
  readonly reason: InvalidEventReason;

  constructor(reason: InvalidEventReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The headers of a request, as `fetch` or Node has them. Names are case-insensitive. */
export type EventHeaders = Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ParseOptions {
  /** Seconds by which `webhook-timestamp` may differ from `now`, in either direction. 300 by default. */
  tolerance?: number;
  /** Milliseconds since the epoch, as of `Date.now()`, which is the default. */
  now?: number;
}

/**
 * Verifies that a request is an event of the service (Standard Webhooks 1.0) and reads it.
 *
 * The details of bookings are typed and not checked. Events of other types may be added to the service: acknowledge
 * a `type` that you do not know.
 *
 * @param body the text of the body exactly as it arrived: JSON that was parsed and serialized again is another text
 * @param secrets of the endpoint: one, or during a rotation both, each `whsec_` and the Base64 of 24 to 64 bytes
 * @throws InvalidEventError unless a secret signed the request within the tolerance
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
  if (keys.length === 0) throw new TypeError('There is no secret to verify events with.');
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => {
    const value = headerOf(headers, `webhook-${name}`);
    if (!value) throw new InvalidEventError('header', `The request has no webhook-${name}.`);
    return value;
  }) as [string, string, string];
  if (!/^\d+$/.test(timestamp) || !(Math.abs(now / 1000 - Number(timestamp)) <= tolerance)) {
    throw new InvalidEventError('timestamp', `The request was not signed within ${tolerance} seconds of now.`);
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  if (!(await isSigned(signed, signatures, keys))) {
    throw new InvalidEventError('signature', 'The request is not signed with a secret of this endpoint.');
  }
  return readEvent(body, id) as BookingEventDto<Details>;
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
  // Text of another length is not Base64, and the error of `atob` would say less.
  if (base64 === undefined || base64.length % 4 > 0)
    throw new TypeError('A secret is `whsec_` and the Base64 of 24 to 64 bytes.');
  return bytesOf(base64);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Whether one of the signatures is of one of the keys. Web Crypto compares them in constant time. */
async function isSigned(signed: BufferSource, signatures: string, keys: Uint8Array<ArrayBuffer>[]): Promise<boolean> {
  const given = [...signatures.matchAll(/(?<![^ ])v1,([A-Za-z0-9+/]{43}=)(?![^ ])/g)].map(([, base64]) =>
    bytesOf(base64!),
  );
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify']);
    for (const signature of given) if (await crypto.subtle.verify(hmac, key, signature, signed)) return true;
  }
  return false;
}

function readEvent(body: string, id: string): unknown {
  let event: Record<string, unknown> | null = null;
  try {
    event = JSON.parse(body) as typeof event;
  } catch {
    // Reported below.
  }
  if (event?.['specversion'] !== '1.0' || event['id'] !== id || typeof event['type'] !== 'string') {
    throw new InvalidEventError('body', 'The body is not the event that webhook-id names.');
  }
  return event;
}
