import { hash, timingSafeEqual } from 'node:crypto';
import { scopes } from '@booking-service/contracts';
import { Logger } from '@nestjs/common';
import { WatchedFile } from '../files/watched-file.js';
import { type TokenHolder, tokenRejected } from './token.js';

/** Tokens that the operator issues, whose digests are in a file that may change at any time. */
export class ApiKeys {
  private readonly logger = new Logger('api-keys');
  private keys: readonly ApiKey[] = [];
  private readonly source: WatchedFile;

  /** @param file the path of a file as `parseApiKeys` reads it */
  constructor(private readonly file: string) {
    const take = (text: string): void => void (this.keys = parseApiKeys(text));
    this.source = new WatchedFile(`the API keys of ${file}`, file, take);
  }

  get description(): string {
    return `API keys of ${this.file} (${this.keys.length})`;
  }

  /** @throws Problem `unauthenticated` */
  verify(token: string): TokenHolder {
    const digest = digestOf(token);
    let holder: TokenHolder | undefined;
    // Always all of them: the time it takes does not reveal where, or whether, a digest was found.
    for (const key of this.keys) if (timingSafeEqual(key.digest, digest)) holder = key.holder;
    if (holder === undefined) throw tokenRejected('The token is unknown or has been revoked.');
    return holder;
  }

  /** @throws Error with the faults of the file, or if it cannot be read */
  async start(signal: AbortSignal): Promise<void> {
    await this.source.load();
    // An invalid file changes nothing: callers keep their access, and the log says why.
    void this.source.watch(signal, {
      changed: () => this.logger.log(`Reloaded: ${this.description}.`),
      failed: (fault) => this.logger.error(`${fault}. The keys read before stay valid.`),
    });
  }
}

/** A token as the file has it. */
export interface ApiKey {
  /** SHA-256 of the token; 32 bytes. */
  readonly digest: Buffer;
  /** Several tokens may have one name: they belong to one caller. */
  readonly holder: TokenHolder;
}

const LINE = /^(?<name>[\w.-]{1,64})\s+sha256:(?<digest>[0-9a-f]{64})\s+(?<names>\S+)$/i;

/** Faults that an error lists: a wrong file may have millions. */
const MAX_FAULTS = 20;

/**
 * SHA-256. A slow hash protects passwords, which can be guessed; a token of 256 random bits cannot, so
 * a fast hash is enough, and the only one that every request can afford.
 */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/**
 * The keys of a file: `NAME sha256:DIGEST SCOPE,...`, one per line, the digest in hexadecimal. Empty lines,
 * and those that begin with `#`, do not count.
 *
 * @throws Error with the first 20 faults; it names lines by their numbers and shows none, since a token may be in it
 */
export function parseApiKeys(text: string): ApiKey[] {
  const keys = new Map<string, ApiKey>();
  const faults: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const { name, digest = '', names } = LINE.exec(line.trim())?.groups ?? {};
    const granted = scopes.filter((scope) => names?.split(',').includes(scope));
    if (name === undefined) {
      faults.push(`line ${index + 1} is not NAME sha256:64-HEX-DIGITS SCOPE,...`);
    } else if (granted.length !== names?.split(',').length) {
      faults.push(`the scopes of line ${index + 1} are not ${scopes.join(' or ')}, each once`);
    } else if (keys.has(digest.toLowerCase())) {
      faults.push(`line ${index + 1} has the token of a line before`);
    } else {
      const caller = `api-key ${name}`;
      const holder = { id: caller, name: caller, scopes: new Set(granted) };
      keys.set(digest.toLowerCase(), { digest: Buffer.from(digest, 'hex'), holder });
    }
  }
  if (faults.length > MAX_FAULTS) faults.splice(MAX_FAULTS, Infinity, `and ${faults.length - MAX_FAULTS} more`);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return [...keys.values()];
}
