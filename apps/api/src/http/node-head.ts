import type { OutgoingMessage } from 'node:http';

/**
 * Where Node keeps the status line and the headers that it is about to send, up to and with the empty line,
 * once `writeHead` was called. It does not document it: `test/http/answer.spec.ts` tells if it goes away.
 */
const HEAD = '_header';

type WithHead = OutgoingMessage & { [HEAD]?: string };

/** Adds whole lines after the headers of a response. Node does not look at them. */
export function addLines(response: WithHead, lines: string): void {
  response[HEAD] = `${response[HEAD]?.slice(0, -2)}${lines}\r\n`;
}

/** Puts a body of ASCII alone behind the headers of a response: they go out as one string. */
export function addBody(response: WithHead, body: string): void {
  response[HEAD] += body;
}
