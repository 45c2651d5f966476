import type { ServerResponse } from 'node:http';

/** Bounds the bytes of responses that clients have not read yet. */
export class UnsentResponses {
  private readonly responses = new Set<ServerResponse>();

  /**
   * @param timeout milliseconds without a read after which a connection is closed
   * @param maxBytes of all responses; beyond it, the oldest ones are cut off
   */
  constructor(
    private readonly timeout: number,
    private readonly maxBytes: number,
  ) {}

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
      oldest.destroy();
    }
  }
}
