import type { ServerResponse } from 'node:http';

/** Limits the bytes of responses that clients have not read yet. */
export class UnsentResponses {
  private readonly responses = new Set<ServerResponse>();
  /** Number of connections that are cut off but not closed yet. */
  private closing = 0;

  /**
   * @param timeout milliseconds without a read after which a connection is closed
   * @param maxBytes maximum unread bytes of all responses; above that, the oldest responses are cut off
   */
  constructor(
    private readonly timeout: number,
    private readonly maxBytes: number,
  ) {}

  /**
   * Whether responses that were cut off still take up memory. It is freed only when their connections close, at the end
   * of the event loop's turn, and a single turn can bring a request from every client.
   */
  get isFull(): boolean {
    return this.closing > 0;
  }

  written(response: ServerResponse): void {
    if (response.writableLength === 0) return;
    if (!this.responses.has(response)) {
      this.responses.add(response);
      response.setTimeout(this.timeout).once('close', () => this.responses.delete(response));
    }
    let bytes = 0;
    for (const each of this.responses) bytes += each.writableLength;
    for (const oldest of this.responses) {
      if (bytes <= this.maxBytes || oldest === response) return;
      bytes -= oldest.writableLength;
      this.cutOff(oldest);
    }
  }

  private cutOff(response: ServerResponse): void {
    if (response.destroyed) return;
    response.socket!.once('close', () => this.closing--);
    this.closing++;
    response.destroy();
  }
}
