import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type ApiKey, digestOf, parseApiKeys } from './api-keys-file.js';
import { type Caller, TokenRefused, TokenVerifier } from './token-verifier.js';

/**
 * Milliseconds between two looks at the file. Its text is compared, and no event of the file system is
 * waited for: so it does not matter whether the file is written, renamed over, or behind a symbolic link
 * that is changed over, and on what disk.
 */
const REREAD_INTERVAL = 1_000;

/** Tokens that the operator gives out, and keeps the digests of in a file that may change at any time. */
export class ApiKeys extends TokenVerifier {
  private readonly logger = new Logger('api-keys');
  private readonly closing = new AbortController();
  private keys: { digest: Buffer; caller: Caller }[] = [];
  private text: string | undefined;
  private fault: string | undefined;

  /** @param file the path of a file as `api-keys-file.ts` has it */
  constructor(private readonly file: string) {
    super();
  }

  override get description(): string {
    return `API keys of ${this.file} (${this.keys.length})`;
  }

  override async verify(token: string): Promise<Caller> {
    const digest = digestOf(token);
    let caller: Caller | undefined;
    // All of them, always: how long it takes says nothing about where, or whether, a digest was found.
    for (const key of this.keys) if (timingSafeEqual(key.digest, digest)) caller = key.caller;
    if (caller === undefined) throw new TokenRefused('The token is not one of this service, or no longer.');
    return caller;
  }

  /** @throws Error when the file cannot be read, with every fault of it */
  override async onModuleInit(): Promise<void> {
    try {
      this.take(await readFile(this.file, 'utf8'));
    } catch (error) {
      throw new Error(this.faultOf(error), { cause: error });
    }
    void this.rereadUntilClosed();
  }

  override onApplicationShutdown(): void {
    this.closing.abort();
  }

  private async rereadUntilClosed(): Promise<void> {
    const { signal } = this.closing;
    for (;;) {
      await sleep(REREAD_INTERVAL, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      await this.reread();
    }
  }

  /** A file that cannot be used changes nothing: callers keep their access, and the operator reads why. */
  private async reread(): Promise<void> {
    try {
      const text = await readFile(this.file, 'utf8');
      if (text === this.text && this.fault === undefined) return;
      this.take(text);
      this.fault = undefined;
      this.logger.warn(`Read anew: ${this.description}.`);
    } catch (error) {
      const fault = this.faultOf(error);
      if (fault !== this.fault) this.logger.error(`${fault}. The keys read before stay good.`);
      this.fault = fault;
    }
  }

  private take(text: string): void {
    this.keys = parseApiKeys(text).map(({ digest, name, scopes }: ApiKey) => ({
      digest,
      caller: { id: `api-key ${name}`, scopes: new Set(scopes) },
    }));
    this.text = text;
  }

  private faultOf(error: unknown): string {
    return `the API keys of ${this.file} cannot be used: ${(error as Error).message}`;
  }
}
