import { getHeapStatistics } from 'node:v8';
import { z } from 'zod';
import { wholeNumber } from '../whole-number.js';

/** How long, in milliseconds, and for how many the server waits. */
export interface ServerSettings {
  /** Until the headers of a request are read. */
  readonly headersTimeout: number;
  /** Until a request is read to its end. */
  readonly requestTimeout: number;
  /** For the next request of a connection. */
  readonly keepAliveTimeout: number;
  readonly maxConnections: number;
  /** Without progress in reading a response, after which a connection is closed; at most twice as long. */
  readonly responseTimeout: number;
  /** Bytes of responses that wait to be read, over all connections. */
  readonly maxUnsentBytes: number;
}

export const serverVariables = {
  HEADERS_TIMEOUT_MS: wholeNumber(100, 600_000).default(10_000),
  REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000).default(15_000),
  KEEP_ALIVE_TIMEOUT_MS: wholeNumber(100, 600_000).default(5_000),
  RESPONSE_TIMEOUT_MS: wholeNumber(100, 600_000).default(30_000),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000).default(2_000),
  MAX_UNSENT_MIB: wholeNumber(1, 65_536).optional(),
};

type ServerVariables = z.output<z.ZodObject<typeof serverVariables>>;

export function serverSettings(variables: ServerVariables): ServerSettings {
  return {
    headersTimeout: variables.HEADERS_TIMEOUT_MS,
    requestTimeout: variables.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: variables.KEEP_ALIVE_TIMEOUT_MS,
    maxConnections: variables.MAX_CONNECTIONS,
    responseTimeout: variables.RESPONSE_TIMEOUT_MS,
    maxUnsentBytes: (variables.MAX_UNSENT_MIB ?? defaultUnsent()) * MIB,
  };
}

const MIB = 2 ** 20;

/** An eighth of the heap, which leaves room for the bookings in memory; at most 256 MiB. */
function defaultUnsent(): number {
  return Math.min(256, getHeapStatistics().heap_size_limit / 8 / MIB);
}
