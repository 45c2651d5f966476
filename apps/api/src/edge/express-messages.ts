import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { responseHeaders } from '@booking-service/contracts';
import type { Express } from 'express';
import type { MessageClasses } from '../server/bounded-server.js';
import { REQUEST_ID_HEADER, requestIdOf } from './request.js';

/** Headers of every response, unless a page sets its own; names and values alternate. */
export const COMMON_HEADERS = Object.entries({
  // Keeps bookings out of shared caches, and makes private caches revalidate them (RFC 9111 §5.2.2).
  'Cache-Control': responseHeaders['Cache-Control'].schema.const,
  // The other headers protect a browser that opens a response as a page or embeds it in a page of another origin.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}).flat();

/**
 * Classes for requests and responses that inherit from Express's prototypes.
 *
 * @param onWritten called when a response ends, or is written faster than its client reads
 */
export function expressMessages(app: Express, onWritten: (response: ServerResponse) => void): MessageClasses {
  class ExpressRequest extends IncomingMessage {}

  class ExpressResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    /** Adds the common headers: Node calls `writeHead` for every response. */
    override writeHead(status: number, ...given: unknown[]): this {
      const common = [...COMMON_HEADERS, REQUEST_ID_HEADER, requestIdOf(this)];
      const [headers] = given;
      // Node writes a list unchanged if `setHeader` was never called. No `Reply` lists a common header.
      if (Array.isArray(headers) && this.getHeaderNames().length === 0) {
        return super.writeHead(status, [...(headers as string[]), ...common]);
      }
      for (let index = 0; index < common.length; index += 2) {
        if (!this.hasHeader(common[index]!)) this.setHeader(common[index]!, common[index + 1]!);
      }
      return super.writeHead(status, ...(given as [OutgoingHttpHeaders]));
    }

    override write(...given: unknown[]): boolean {
      const isTaken = super.write(...(given as [string]));
      if (!isTaken) onWritten(this);
      return isTaken;
    }

    override end(...given: unknown[]): this {
      super.end(...(given as []));
      onWritten(this);
      return this;
    }
  }

  // Express calls `Object.setPrototypeOf` on every request and response, which gives each object its own shape in V8.
  // The call does nothing if the prototype is already set (docs/performance.md).
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
