import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import type { Express } from 'express';
import { requestClass } from './express-request.js';
import type { HeadStoring } from './node-head.js';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.js';

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;
type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/** What every answer says, unless its handler says something else; names and values in turn. */
export const COMMON_HEADERS = Object.entries({
  // A booking is for its caller: no shared cache keeps it, and no other uses it without asking (RFC 9111 §5.2.2).
  'Cache-Control': 'private, no-cache',
  // The three below matter where a browser is made to open an answer as a page.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}).flat();

const COMMON_LINES = COMMON_HEADERS.reduce((text, part, at) => text + part + (at % 2 === 0 ? ': ' : '\r\n'), '');

const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as HeadStoring;

/**
 * The classes of requests and responses for the server of an Express application.
 *
 * Their objects are born with the prototypes that Express gives every request and response. Express
 * sets them with `Object.setPrototypeOf`, after which V8 treats each object as a shape of its own; on
 * an object that has the prototype already, that does nothing. It is the largest single cost of
 * Express (docs/performance.md has the figures).
 */
export function expressMessages(app: Express): MessageClasses {
  const ExpressRequest = requestClass();

  class ExpressResponse<Request extends IncomingMessage = IncomingMessage>
    extends ServerResponse<Request>
    implements HeadStoring
  {
    /** Whole lines that go before the headers. */
    lines = '';

    /** Node comes through here for every answer, whoever sends it: what all of them carry is added here. */
    override writeHead(status: number, ...given: [(string | GivenHeaders)?, GivenHeaders?]): this {
      const [headers] = given;
      // Nothing was set one by one: Node writes a list as it is, without keeping, checking and joining twice.
      if (Array.isArray(headers) && this.getHeaderNames().length === 0) {
        // They are known to be good: Node's checks of every character of them take 2 µs.
        this.lines = `${COMMON_LINES}${REQUEST_ID_HEADER}: ${requestIdOf(this)}\r\n`;
        return super.writeHead(status, headers);
      }
      const common = [...COMMON_HEADERS, REQUEST_ID_HEADER, requestIdOf(this)];
      for (let index = 0; index < common.length; index += 2) {
        if (!this.hasHeader(common[index]!)) this.setHeader(common[index]!, common[index + 1]!);
      }
      return super.writeHead(status, ...(given as [GivenHeaders]));
    }

    _storeHeader(statusLine: string, headers: unknown): void {
      storeHeader.call(this, statusLine + this.lines, headers);
    }
  }

  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
