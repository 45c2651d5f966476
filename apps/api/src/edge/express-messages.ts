import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { responseHeaders } from '@booking-service/contracts';
import type { Express } from 'express';
import type { MessageClasses } from '../server/bounded-server.js';
import { REQUEST_ID_HEADER, requestIdOf } from './request.js';

/** Headers of every response whose handler does not set them; names and values in turn. */
export const COMMON_HEADERS = Object.entries({
  // A booking is for its caller: no shared cache stores it, and a private one revalidates it (RFC 9111 §5.2.2).
  'Cache-Control': responseHeaders['Cache-Control'].schema.const,
  // The rest protects browsers that open a response as a page, or load it for a page of another origin.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}).flat();

/**
 * The message classes of the server of an Express application. Requests are created with Express's prototypes.
 *
 * @param onWritten called for each response that was written to its end, or faster than its client reads
 */
export function expressMessages(app: Express, onWritten: (response: ServerResponse) => void): MessageClasses {
  class ExpressRequest extends IncomingMessage {}

  class ExpressResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    /** Node calls `writeHead` for every response: the common headers are added here. */
    override writeHead(status: number, ...given: unknown[]): this {
      const common = [...COMMON_HEADERS, REQUEST_ID_HEADER, requestIdOf(this)];
      const [headers] = given;
      // Node writes a list as it is, where no header was set one by one.
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

  // Express calls `Object.setPrototypeOf` on every request and response, after which V8 treats each object as a shape of
  // its own. On an object that has the prototype already, the call does nothing (docs/performance.md).
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
