import { maxHeaderSize } from 'node:http';

/** Why the server does not hand on what it received. */
export interface Rejection {
  /** The name at the end of the problem type of the response. */
  readonly type:
    | 'expectation-failed'
    | 'headers-too-large'
    | 'invalid-request'
    | 'payload-too-large'
    | 'request-timeout';
  /** What is wrong this time; undefined where the type says it. */
  readonly detail?: string;
}

/** Rejections by the code of Node's error; every other code means malformed bytes. */
const REJECTIONS: Readonly<Record<string, Rejection>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { type: 'request-timeout' },
  HPE_HEADER_OVERFLOW: { type: 'headers-too-large', detail: `The headers are larger than ${maxHeaderSize} bytes.` },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { type: 'payload-too-large', detail: 'The chunk extensions are too large.' },
};

/** Why bytes that Node cannot parse as a request are rejected. */
export function rejectionOf({ code = '' }: NodeJS.ErrnoException): Rejection {
  return REJECTIONS[code] ?? { type: 'invalid-request', detail: 'The data received is not HTTP/1.1.' };
}
