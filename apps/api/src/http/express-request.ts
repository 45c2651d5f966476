import { IncomingMessage } from 'node:http';
import type { BodyReader, DirectRequest } from './read-body.js';

/**
 * Node calls it on a request once the answer is sent, to throw away what is left of the body. It does not
 * document it: should it stop to, requests end as those of Node do, and cost 2 µs more.
 */
type Dumping = { _dump: (this: IncomingMessage) => void };
const { _dump: throwRestAway } = IncomingMessage.prototype as unknown as Dumping;

/**
 * A new class of requests that give their body to its reader directly, and of which nothing is begun that
 * nobody waits for. A stream that is read, ends and closes takes 10 of the 100 µs of a create; to throw away
 * a body that is none, as Node does for every get, takes 2 µs.
 */
export function requestClass(): typeof IncomingMessage {
  class ExpressRequest extends IncomingMessage implements DirectRequest, Dumping {
    bodyReader: BodyReader | undefined = undefined;
    /** Nothing is left to read, and no `end` tells it. */
    isOver = false;

    /** Node's parser comes through here with every piece of a body, and with `null` at its end. */
    override push(piece: Buffer | null): boolean {
      const reader = this.bodyReader;
      if (reader === undefined) return super.push(piece);
      if (piece === null) {
        this.isOver = true;
        reader.end();
      } else {
        reader.take(piece);
      }
      return true;
    }

    /** Node comes through here where the client is gone before its answer. */
    override destroy(error?: Error): this {
      this.bodyReader?.breakOff();
      return super.destroy(error);
    }

    _dump(): void {
      if (this.complete) this.isOver = true;
      else throwRestAway.call(this);
    }
  }

  // It tells Node that it may forget the request; else the connection keeps it until the next one.
  Object.defineProperty(ExpressRequest.prototype, 'readableEnded', {
    get(this: ExpressRequest): boolean {
      return this.isOver || Reflect.get(IncomingMessage.prototype, 'readableEnded', this);
    },
  });
  return ExpressRequest;
}
