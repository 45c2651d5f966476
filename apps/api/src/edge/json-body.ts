import type { IncomingMessage } from 'node:http';
import { MAX_PAYLOAD_BYTES, toWellFormed, validate } from '@booking-service/contracts';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import type { z } from 'zod';
import { invalidBooking, Problem } from './problem.js';
import { JSON_TYPE } from './reply.js';

/**
 * Validates a body against its schema. Nest's `StandardSchemaValidationPipe` would drop a member named `__proto__`, and
 * report errors without JSON Pointers.
 */
export class BodyPipe implements PipeTransform {
  /** @throws Problem `invalid-booking` */
  transform(body: unknown, { schema }: ArgumentMetadata): unknown {
    const validated = validate(schema as z.ZodType, body);
    if ('value' in validated) return validated.value;
    throw invalidBooking(validated.errors);
  }
}

/**
 * Reads the body as strict JSON; a missing body is the empty object.
 *
 * @throws Problem `payload-too-large`, `unsupported-media-type`, `invalid-request`
 */
export async function readJson(request: Request): Promise<unknown> {
  const declaredLength = Number(request.headers['content-length']);
  if (declaredLength > MAX_PAYLOAD_BYTES) throw new Problem('payload-too-large');
  const isDeclared = declaredLength > 0;
  if (isDeclared) checkType(request);
  // HTTP/1.0 has no 100 Continue (RFC 9110 §10.1.1). The server has already rejected other expectations.
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') request.res!.writeContinue();
  const bytes = await readBody(request);
  if (bytes.length === 0) {
    // Any page can make a browser send an empty POST, with a form or `fetch`. Before it sends a JSON Content-Type, the
    // browser asks the service (CORS preflight).
    if (isOfOtherOrigin(request)) checkType(request, 'A page of another origin has to send a Content-Type.');
    return {};
  }
  // Only now is it known that a chunked body is not empty.
  if (!isDeclared) checkType(request);
  return parse(decode(bytes));
}

function checkType(request: IncomingMessage, detail?: string): void {
  const { headers } = request;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported-media-type', 'The body has a Content-Encoding. Send it without one.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  const type = headers['content-type'] ?? '';
  // Repeated headers arrive joined by a comma, which a parameter may also contain.
  if (type.includes(',') && request.headersDistinct['content-type']![1] !== undefined) {
    throw new Problem('invalid-request', 'There is more than one Content-Type.');
  }
  // Parameters have no meaning (RFC 8259 §11), and case does not matter (RFC 9110 §8.3.1).
  if (type === JSON_TYPE || type.split(';', 1)[0]!.trim().toLowerCase() === JSON_TYPE) return;
  throw new Problem('unsupported-media-type', detail, { headers: { Accept: JSON_TYPE } });
}

/** Ignores a byte order mark (RFC 8259 §8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('invalid-request', 'The body is not UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message may quote half of a surrogate pair.
    throw new Problem('invalid-request', `The body is not JSON: ${toWellFormed((error as SyntaxError).message)}`);
  }
}

/** Number of pieces that are joined into one: separate one-byte chunks would take a hundred times their size. */
const MAX_PIECES = 64;

/** @throws Problem `payload-too-large`, or `invalid-request` for an incomplete body */
function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] = [];
    let length = 0;
    const take = (piece: Buffer): void => {
      length += piece.length;
      pieces.push(piece);
      if (pieces.length === MAX_PIECES) pieces = [Buffer.concat(pieces)];
      if (length <= MAX_PAYLOAD_BYTES) return;
      // The stream keeps flowing, which discards the rest of the body: the next request comes after it.
      request.off('data', take);
      reject(new Problem('payload-too-large'));
    };
    const close = (): void => {
      if (!request.readableEnded) reject(new Problem('invalid-request', 'The body is incomplete.'));
    };
    if (request.destroyed) return close();
    request.on('data', take).once('close', close);
    request.once('end', () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)));
  });
}

/**
 * Whether a browser reports a page of another origin as the sender. Browsers send `Sec-Fetch-Site` only over HTTPS or
 * to a loopback address (Fetch Metadata §2), but `Origin` with every POST.
 */
export function isOfOtherOrigin({ headers }: IncomingMessage): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== host;
}
