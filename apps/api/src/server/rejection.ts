import { maxHeaderSize } from 'node:http';

/** Why the server rejects a request or other input. */
export interface Rejection {
  /** Last segment of the response's problem type. */
  readonly type:
    | 'expectation-failed'
    | 'headers-too-large'
    | 'invalid-request'
    | 'payload-too-large'
    | 'request-timeout';
  /** Undefined if the type says enough. */
  readonly detail?: string;
}

/** Rejections by Node's error code; any other code means malformed bytes. */
const REJECTIONS: Readonly<Record<string, Rejection>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { type: 'request-timeout' },
  HPE_HEADER_OVERFLOW: { type: 'headers-too-large', detail: `The headers are larger than ${maxHeaderSize} bytes.` },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { type: 'payload-too-large', detail: 'The chunk extensions are too large.' },
};

export function rejectionOf({ code = '' }: NodeJS.ErrnoException): Rejection {
  return REJECTIONS[code] ?? { type: 'invalid-request', detail: 'The data received is not HTTP/1.1.' };
}
