import { hash, timingSafeEqual } from 'node:crypto';
import { type Scope, scopes } from '@booking-service/contracts';
import { Logger } from '@nestjs/common';
import { WatchedFile } from '../files/watched-file.js';
import { type TokenHolder, TokenRejected } from './token-holder.js';

/** Tokens that the operator issues, whose digests are in a file that may change at any time. */
export class ApiKeys {
  private readonly logger = new Logger('api-keys');
  private readonly closing = new AbortController();
  private keys: { digest: Buffer; caller: TokenHolder }[] = [];
  private readonly source: WatchedFile;

  /** @param file the path of a file as `parseApiKeys` reads it */
  constructor(private readonly file: string) {
    this.source = new WatchedFile(`the API keys of ${file}`, file, (text) => this.take(text));
  }

  get description(): string {
    return `API keys of ${this.file} (${this.keys.length})`;
  }

  /** @throws TokenRejected */
  verify(token: string): TokenHolder {
    const digest = digestOf(token);
    let caller: TokenHolder | undefined;
    // Always all of them: the time it takes does not reveal where, or whether, a digest was found.
    for (const key of this.keys) if (timingSafeEqual(key.digest, digest)) caller = key.caller;
    if (caller === undefined) throw new TokenRejected('The token is unknown or has been revoked.');
    return caller;
  }

  /** @throws Error with every fault of the file, or if it cannot be read */
  async start(): Promise<void> {
    await this.source.load();
    // An invalid file changes nothing: callers keep their access, and the log says why.
    void this.source.watch(this.closing.signal, {
      changed: () => this.logger.log(`Reloaded: ${this.description}.`),
      failed: (fault) => this.logger.error(`${fault}. The keys read before stay valid.`),
    });
  }

  stop(): void {
    this.closing.abort();
  }

  private take(text: string): void {
    this.keys = parseApiKeys(text).map(({ digest, name, scopes }: ApiKey) => ({
      digest,
      caller: {
        id: `api-key ${name}`,
        name: `api-key ${name}`,
        scopes: new Set(scopes),
      },
    }));
  }
}

/** A token of one caller, as the file has it. */
export interface ApiKey {
  /** 1 to 64 of `A-Z a-z 0-9 . _ -`. Several tokens may have one name: they belong to one caller. */
  readonly name: string;
  /** SHA-256 of the token; 32 bytes. */
  readonly digest: Buffer;
  readonly scopes: readonly Scope[];
}

const LINE = /^(?<name>[\w.-]{1,64})\s+sha256:(?<digest>[0-9a-f]{64})\s+(?<scopes>\S+)$/i;

/**
 * SHA-256. A slow hash protects passwords, which can be guessed; a token of 256 random bits cannot, so
 * a fast hash is enough, and the only one that every request can afford.
 */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Faults of a file that are told: a wrong file may have millions. */
const MAX_FAULTS = 20;

/**
 * The keys of a file: `NAME sha256:DIGEST SCOPE,...`, one a line, the digest in hexadecimal. Empty lines,
 * and those that begin with `#`, do not count.
 *
 * @throws Error with the first 20 faults; it names lines by their numbers and shows none, since a token may be in it
 */
export function parseApiKeys(text: string): ApiKey[] {
  const lines = text.split('\n').map((line, index) => ({ text: line.trim(), number: index + 1 }));
  const keys: ApiKey[] = [];
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { text, number } of lines.filter(({ text }) => text !== '' && !text.startsWith('#'))) {
    const { name, digest, scopes: names } = LINE.exec(text)?.groups ?? {};
    const granted = scopes.filter((scope) => names?.split(',').includes(scope));
    if (name === undefined || digest === undefined) {
      faults.push(`line ${number} is not NAME sha256:64-HEX-DIGITS SCOPE,...`);
    } else if (granted.length !== names?.split(',').length) {
      faults.push(`the scopes of line ${number} are not ${scopes.join(' or ')}, each once`);
    } else if (seen.has(digest.toLowerCase())) {
      faults.push(`line ${number} has the token of a line before`);
    } else {
      seen.add(digest.toLowerCase());
      keys.push({ name, digest: Buffer.from(digest, 'hex'), scopes: granted });
    }
  }
  if (faults.length > MAX_FAULTS) faults.splice(MAX_FAULTS, Infinity, `and ${faults.length - MAX_FAULTS} more`);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return keys;
}
