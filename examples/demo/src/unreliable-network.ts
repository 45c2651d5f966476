/** A network that can lose a response: the worst case for a create, because the booking may have been created. */
export class UnreliableNetwork {
  /** Responses lost so far. */
  lost = 0;
  #loseNext = false;

  /** The next request reaches the service and is executed; its response is lost. */
  loseNextResponse(): void {
    this.#loseNext = true;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const loses = this.#loseNext;
    this.#loseNext = false;
    const response = await fetch(input, init);
    if (!loses) return response;
    await response.arrayBuffer();
    this.lost += 1;
    // As Node's fetch does when a connection breaks.
    throw new TypeError('fetch failed');
  };
}
