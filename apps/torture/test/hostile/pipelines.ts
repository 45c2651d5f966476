import type { Random } from '../random.js';

/** One request of a pipeline, and the statuses that it may get. */
interface PipelinedRequest {
  readonly bytes: string;
  readonly statuses: readonly number[];
  /** The mark of the booking that it makes. */
  readonly mark?: string;
  /** Whether its response closes the connection. */
  readonly closes?: boolean;
}

/** What a client does once it has written its pipeline. */
export const manners = ['reads', 'reads', 'reads', 'half-closes', 'leaves', 'resets', 'does not read'] as const;
export type Manner = (typeof manners)[number];

/** Requests that are written to one connection without waiting for a response. */
export interface Pipeline {
  readonly bytes: Buffer;
  /** Where its pieces end. */
  readonly ends: readonly number[];
  readonly manner: Manner;
  /** For each response that has to come, in order, the statuses that it may have. */
  readonly expected: readonly (readonly number[])[];
  /** The marks of creates that may be carried out. */
  readonly marks: readonly string[];
  /** The marks of creates that stand behind a response that closes. */
  readonly forbidden: readonly string[];
  readonly requests: number;
}

/** Longer ones are cut, and tested in bounds.spec.ts and floods.spec.ts. */
const MAX_REQUESTS = 30;
const HOST = 'Host: localhost';
const JSON_TYPE = 'Content-Type: application/json';

const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const plain = (line: string, status: number): PipelinedRequest => ({
  bytes: head(`${line} HTTP/1.1`, HOST),
  statuses: [status],
});

let created = 0;

function create(random: Random): PipelinedRequest {
  const mark = `pipelined-${created++}`;
  // Few slots, so that most are taken: a create succeeds or is rejected, by its place in the pipeline.
  const hour = random.below(24).toString().padStart(2, '0');
  const day = (1 + random.below(28)).toString().padStart(2, '0');
  const start = `2027-02-${day}T${hour}:00:00Z`;
  const slot = random.chance(0.5) && {
    resource_id: `r${random.below(3)}`,
    start,
    end: start.replace(':00:00Z', ':30:00Z'),
  };
  const body = JSON.stringify({ mark, ...(slot && { slot }) });
  const line = 'POST /v1/bookings HTTP/1.1';
  const framed = random.pick([
    head(line, HOST, JSON_TYPE, `Content-Length: ${body.length}`) + body,
    head(line, HOST, JSON_TYPE, `Content-Length: ${body.length}`, 'Expect: 100-continue') + body,
    `${head(line, HOST, JSON_TYPE, 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ]);
  return { bytes: framed, statuses: slot ? [201, 409] : [201], mark };
}

const makers: ((random: Random) => PipelinedRequest)[] = [
  create,
  create,
  create,
  () => plain('GET /v1/bookings?limit=3', 200),
  () => plain('GET /v1/bookings?from=2027-02-03T00:00:00Z&sort=start&limit=2', 200),
  () => plain('GET /v1/bookings/nothing', 404),
  () => plain('HEAD /v1/bookings?limit=1', 200),
  () => plain('OPTIONS /v1/bookings', 204),
  () => plain('DELETE /v1/bookings', 405),
  () => plain('GET /v1/bookings?limit=0', 400),
  () => plain('GET /docs/favicon-32x32.png', 200),
  () => ({ bytes: `${head('POST /v1/bookings HTTP/1.1', HOST, JSON_TYPE, 'Content-Length: 1')}{`, statuses: [400] }),
  () => ({ bytes: `${head('POST /v1/bookings HTTP/1.1', HOST, 'Content-Length: 2')}{}`, statuses: [415] }),
];

const closers: PipelinedRequest[] = [
  ...[400, 417, 400].map((status, index) => ({
    bytes: head(
      'GET /v1/bookings HTTP/1.1',
      HOST,
      ['Host: other', 'Expect: more', 'Transfer-Encoding: gzip, chunked'][index]!,
    ),
    statuses: [status],
    closes: true,
  })),
  { ...plain('GET http://[/', 400), closes: true },
  { bytes: head('GET /v1/bookings?limit=1 HTTP/1.1', HOST, 'Connection: close'), statuses: [200], closes: true },
  { bytes: head('GET /v1/bookings?limit=1 HTTP/1.0'), statuses: [200], closes: true },
  {
    bytes: head('GET /v1/bookings?limit=1 HTTP/1.1', HOST, 'Connection: Upgrade', 'Upgrade: websocket'),
    statuses: [200],
    closes: true,
  },
];

export function pipeline(random: Random): Pipeline {
  const count = 1 + random.below(MAX_REQUESTS);
  const requests = Array.from({ length: count }, () => {
    return random.chance(0.02) ? random.pick(closers) : random.pick(makers)(random);
  });
  const last = requests.findIndex(({ closes }) => closes === true);
  const carriedOut = last === -1 ? requests : requests.slice(0, last + 1);
  const bytes = Buffer.from(requests.map((request) => request.bytes).join(''));
  const marksOf = (some: PipelinedRequest[]): string[] => some.flatMap(({ mark }) => mark ?? []);
  return {
    bytes,
    ends: Array.from({ length: random.below(6) }, () => random.below(bytes.length)).toSorted((a, b) => a - b),
    manner: random.pick(manners),
    expected: carriedOut.map(({ statuses }) => statuses),
    marks: marksOf(carriedOut),
    forbidden: marksOf(requests.slice(carriedOut.length)),
    requests: count,
  };
}
