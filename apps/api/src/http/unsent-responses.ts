import type { ServerResponse } from 'node:http';

/** Milliseconds after which an unread response may be cut off for a new connection. */
const MIN_AGE = 1_000;

interface Unsent {
  readonly bytes: number;
  readonly since: number;
}

/**
 * Responses that are written in whole or in part and not yet read by their clients, oldest first.
 *
 * Each waits as long as its client makes progress. Their memory is bounded for all connections together: beyond the
 * bound, the slowest clients are cut off.
 */
export class UnsentResponses {
  private bytes = 0;
  private readonly responses = new Map<ServerResponse, Unsent>();

  /** @param timeout milliseconds without progress after which a connection is closed, at most twice as many */
  constructor(
    private readonly timeout: number,
    private readonly maxBytes: number,
  ) {}

  /** Records a response that was written to. One that the kernel has taken completely costs nothing. */
  written(response: ServerResponse): void {
    const bytes = response.writableLength;
    if (bytes === 0) return;
    const known = this.responses.get(response);
    if (known === undefined) {
      // Node closes the connection if nothing is read for so long; a partial read counts as progress.
      response.setTimeout(this.timeout);
      response.once('close', () => this.forget(response));
    }
    this.responses.set(response, { bytes, since: known?.since ?? performance.now() });
    this.bytes += bytes - (known?.bytes ?? 0);
    for (const oldest of this.responses.keys()) {
      if (this.bytes <= this.maxBytes || oldest === response) return;
      this.cutOff(oldest);
    }
  }

  /** Makes room for a new connection by cutting off a client that does not read. */
  cutOffOldest(): void {
    const [oldest] = this.responses;
    if (oldest !== undefined && performance.now() - oldest[1].since > MIN_AGE) this.cutOff(oldest[0]);
  }

  private cutOff(response: ServerResponse): void {
    this.forget(response);
    response.destroy();
  }

  private forget(response: ServerResponse): void {
    this.bytes -= this.responses.get(response)?.bytes ?? 0;
    this.responses.delete(response);
  }
}
