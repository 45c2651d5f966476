import { hash } from 'node:crypto';
import { scopes } from '@booking-service/contracts';
import { Logger } from '@nestjs/common';
import { WatchedFile } from '../../platform/watched-file.js';
import { type TokenHolder, tokenRejected } from './token.js';

/** Tokens that the operator issues, whose digests are in a file that may change at any time. */
export class ApiKeys {
  private readonly logger = new Logger('api-keys');
  private keys: ReadonlyMap<string, TokenHolder> = new Map();
  private readonly source: WatchedFile;

  /** @param file the path of a file as `parseApiKeys` reads it */
  constructor(private readonly file: string) {
    this.source = new WatchedFile(`the API keys of ${file}`, file, (text) => void (this.keys = parseApiKeys(text)));
  }

  get description(): string {
    return `API keys of ${this.file} (${this.keys.size})`;
  }

  /** @throws Problem `unauthenticated` */
  verify(token: string): TokenHolder {
    // How long this takes may reveal something of a digest, and nothing of a token: no digest leads back to it.
    const holder = this.keys.get(digestOf(token));
    if (holder === undefined) throw tokenRejected('The token is unknown or has been revoked.');
    return holder;
  }

  /** @throws Error with the first fault of the file, or if it cannot be read */
  async start(signal: AbortSignal): Promise<void> {
    await this.source.load();
    // An invalid file changes nothing: callers keep their access, and the log says why.
    void this.source.watch(signal, {
      changed: () => this.logger.log(`Reloaded: ${this.description}.`),
      failed: (fault) => this.logger.error(`${fault}. The keys read before stay valid.`),
    });
  }
}

const LINE = /^([\w.-]{1,64})\s+sha256:([0-9a-f]{64})\s+(\S+)$/i;

/**
 * SHA-256, in hexadecimal. A slow hash protects passwords, which can be guessed; a token of 256 random bits cannot, so
 * a fast hash is enough, and the only one that every request can afford.
 */
export function digestOf(token: string): string {
  return hash('sha256', token);
}

/**
 * The holders of a file by the digests of their tokens: `NAME sha256:DIGEST SCOPE,...`, one per line. Several tokens may
 * have one name: they belong to one caller. Empty lines, and those that begin with `#`, do not count.
 *
 * @throws Error with the first fault; it names its line by the number and does not show it, since a token may be in it
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
    if (keys.has(digest)) throw new Error(`line ${index + 1} has the token of a line before`);
    const caller = `api-key ${name}`;
    keys.set(digest, { id: caller, name: caller, scopes: new Set(granted) });
  }
  // A full disk or half of a rewrite is likelier than a wish to lock everybody out.
  if (keys.size === 0) throw new Error('it has no key');
  return keys;
}
