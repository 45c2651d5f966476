import type { OutgoingMessage, ServerResponse } from 'node:http';

/**
 * Where Node keeps the status line and the headers that it is about to send, up to and with the empty line,
 * once `writeHead` was called. It does not document it: `test/http/answer.spec.ts` tells if it goes away.
 */
const HEAD = '_header';

type WithHead = OutgoingMessage & { [HEAD]?: string };

/** Puts a body of ASCII alone behind the headers of a response: they go out as one string. */
export function addBody(response: WithHead, body: string): void {
  response[HEAD] += body;
}

/**
 * How Node makes the text of a head: of the status line, which ends with CRLF, and the headers, which it checks. It
 * does not document it either.
 */
export interface HeadStoring {
  _storeHeader: (this: ServerResponse, statusLine: string, headers: unknown) => void;
}
