import type { ServerResponse } from 'node:http';

/** Responses that their clients have not read yet, oldest first. All of them together are bounded in bytes. */
export class UnsentResponses {
  private readonly responses = new Set<ServerResponse>();

  /**
   * @param timeout milliseconds without progress after which Node closes a connection; a partial read is progress
   * @param maxBytes beyond it, the clients that have not read for longest are cut off
   */
  constructor(
    private readonly timeout: number,
    private readonly maxBytes: number,
  ) {}

  /** Records a response that was written to. One that the kernel has taken completely costs nothing. */
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
