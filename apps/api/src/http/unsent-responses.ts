import type { ServerResponse } from 'node:http';

/** Milliseconds for which a response may wait for its client before a new connection is worth more. */
const MIN_AGE = 1_000;

interface Unsent {
  readonly bytes: number;
  readonly since: number;
}

/**
 * Responses, or parts of them, that are written and that their clients have not read yet, oldest first.
 *
 * Each waits as long as its client makes progress. What they hold in memory is bounded for all connections
 * together: beyond it, the clients that have taken longest are cut off.
 */
export class UnsentResponses {
  private bytes = 0;
  private readonly responses = new Map<ServerResponse, Unsent>();

  /** @param timeout milliseconds without progress after which a connection is closed, at most twice as many */
  constructor(
    private readonly timeout: number,
    private readonly maxBytes: number,
  ) {}

  /** Takes note of a response that was written to. One that the kernel has taken as a whole costs nothing. */
  written(response: ServerResponse): void {
    const bytes = response.writableLength;
    if (bytes === 0) return;
    const known = this.responses.get(response);
    if (known === undefined) {
      // Node closes the connection where nothing is read for so long; what is read in part counts as progress.
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

  /** Makes room for a new connection, where a client has kept its own busy without reading. */
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
