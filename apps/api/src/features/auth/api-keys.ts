import { hash } from 'node:crypto';
import { scopes } from '@booking-service/contracts';
import { Logger } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { WatchedFile } from '../../platform/watched-file.js';
import type { TokenHolder } from './token.js';

/** Tokens that the operator issues. Their digests are in a file that may change at any time. */
export class ApiKeys {
  private readonly logger = new Logger('api-keys');
  private keys: ReadonlyMap<string, TokenHolder> = new Map();
  private readonly source: WatchedFile;

  constructor(
    private readonly file: string,
    private readonly fileValid: Gauge.Internal<'setting'>,
  ) {
    this.source = new WatchedFile(`the API keys of ${file}`, file, (text) => void (this.keys = parseApiKeys(text)));
  }

  get description(): string {
    return `API keys of ${this.file} (${this.keys.size})`;
  }

  /** @returns undefined for a token that is not in the file */
  find(token: string): TokenHolder | undefined {
    // Timing may reveal part of a digest, but no digest leads back to its token.
    return this.keys.get(digestOf(token));
  }

  /** @throws Error that names the first fault of the file, or says why the file cannot be read */
  async start(signal: AbortSignal): Promise<void> {
    await this.source.load();
    void this.source.watch(signal, this.fileValid, {
      changed: () => this.logger.log(`Reloaded: ${this.description}.`),
      failed: (fault) => this.logger.error(`${fault}. The keys read before stay valid.`),
    });
  }
}

const LINE = /^([\w.-]{1,64})\s+sha256:([0-9a-f]{64})\s+(\S+)$/i;

/** SHA-256 in hexadecimal: a fast hash is enough for 256 random bits, which nobody can guess. */
export function digestOf(token: string): string {
  return hash('sha256', token);
}

/**
 * Token holders by digest. Each line of the file is `NAME sha256:DIGEST SCOPE,...`, empty, or a comment with `#`.
 * Tokens with the same name belong to one caller.
 *
 * @throws Error for a text without keys, or with the number of the first faulty line, but never the text of the line,
 * which may contain a token
 */
export function parseApiKeys(text: string): Map<string, TokenHolder> {
  const keys = new Map<string, TokenHolder>();
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, anyCase, names] = LINE.exec(line.trim()) ?? [];
    if (name === undefined) throw new Error(`line ${index + 1} is not NAME sha256:64-HEX-DIGITS SCOPE,...`);
    const listed = names!.split(',');
    const granted = scopes.filter((scope) => listed.includes(scope));
    if (granted.length !== listed.length) {
      throw new Error(`the scopes of line ${index + 1} are not ${scopes.join(' or ')}, each once`);
    }
    const digest = anyCase!.toLowerCase();
    if (keys.has(digest)) throw new Error(`line ${index + 1} repeats an earlier token`);
    const caller = `api-key ${name}`;
    keys.set(digest, { id: caller, name: caller, scopes: new Set(granted) });
  }
  // An empty file more likely comes from a full disk or an unfinished write than from a wish to lock everybody out.
  if (keys.size === 0) throw new Error('it has no key');
  return keys;
}
