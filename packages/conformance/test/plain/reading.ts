import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import {
  createBookingSchema,
  type CreateBookingDto,
  type ListBookingsQuery,
  listBookingsQuerySchema,
  MAX_PAYLOAD_BYTES,
  validate,
} from '@booking-service/contracts';
import { Rejected } from './rejected.js';

/** @throws Rejected `invalid-request` for framing that another reader may understand otherwise */
export function expectOneMeaning({ url = '', headers, headersDistinct, rawHeaders }: IncomingMessage): void {
  if (rawHeaders.length > 200) throw new Rejected('headers-too-large', {}, { Connection: 'close' });
  const { host = [], 'content-type': types = [] } = headersDistinct;
  const coding = headers['transfer-encoding'] ?? 'chunked';
  const isPath = /^\/[!"$-~]*$/.test(url);
  if (!isPath || host.length !== 1 || coding !== 'chunked')
    throw new Rejected('invalid-request', {}, { Connection: 'close' });
  if (types.length > 1) throw new Rejected('invalid-request');
}

/** The JSON of a body. @throws Rejected as docs/interface.md says in the steps 2 to 4 of a create */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const { 'content-length': length } = request.headers;
  if (Number(length) > MAX_PAYLOAD_BYTES) throw new Rejected('payload-too-large');
  if (Number(length) > 0) expectJson(request);
  const bytes = await readBytes(request);
  if (bytes.length > 0 || isOfOtherOrigin(request)) expectJson(request);
  return bytes.length === 0 ? {} : parseJson(bytes);
}

function isOfOtherOrigin({ headers }: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && new URL(origin).host !== host;
}

/** @throws Rejected `invalid-booking` */
export function readPayload(value: unknown): CreateBookingDto {
  const validated = validate(createBookingSchema, value);
  if ('errors' in validated) throw new Rejected('invalid-booking', { errors: validated.errors });
  return validated.value;
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (request.headers.expect !== undefined) request.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
  const chunks: Buffer[] = [];
  let length = 0;
  // Not `for await`, which closes the connection where it stops early.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_PAYLOAD_BYTES) reject(new Rejected('payload-too-large'));
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

function expectJson({ headers }: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  if (encoding.toLowerCase() !== 'identity') {
    throw new Rejected('unsupported-media-type', {}, { 'Accept-Encoding': 'identity' });
  }
  if (type.split(';')[0]!.trim().toLowerCase() !== 'application/json') {
    throw new Rejected('unsupported-media-type', {}, { Accept: 'application/json' });
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Rejected('invalid-request');
  }
}

/** The key without its quotes. @throws Rejected `invalid-request` */
export function readKey({ headers }: IncomingMessage): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const [, quoted, bare] = /^(?:"([!#-[\]-~]{1,255})"|([!#-[\]-~]{1,255}))$/.exec(String(header)) ?? [];
  const key = quoted ?? bare;
  if (key === undefined) throw new Rejected('invalid-request');
  return key;
}

/** @throws Rejected `invalid-request` */
export function readQuery(query: string): ListBookingsQuery {
  try {
    decodeURIComponent(query);
  } catch {
    throw new Rejected('invalid-request');
  }
  const given = parse(query, '&', '=', { maxKeys: 0 });
  const repeated = Object.keys(given).find((name) => Array.isArray(given[name]));
  if (repeated !== undefined) throw Rejected.at(`#/${repeated}`);
  const validated = validate(listBookingsQuerySchema, given);
  const detail = 'It is rejected. A `+` is a space; write `%2B` for one.';
  if ('errors' in validated) throw new Rejected('invalid-request', { errors: validated.errors, detail });
  return validated.value;
}
