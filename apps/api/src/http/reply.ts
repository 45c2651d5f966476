/** What a handler returns: a whole response, which the adapter sends (`HttpAdapter.reply`). */
export class Reply {
  /** @param headers further ones, names and values in turn */
  constructor(
    readonly status: number,
    readonly contentType: string | undefined,
    readonly body: string,
    readonly headers: readonly string[] = [],
  ) {}
}
