import { hash } from 'node:crypto';
import { type Scope, scopes } from '@booking-service/contracts';

/** A token of one caller, as the file has it. */
export interface ApiKey {
  /** 1 to 64 of `A-Z a-z 0-9 . _ -`. Several tokens may have one name: they are one caller's. */
  readonly name: string;
  /** Of the token; 32 bytes. */
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

/**
 * The keys of a file: `NAME sha256:DIGEST SCOPE,...`, one a line, the digest in hexadecimal. Empty lines,
 * and those that begin with `#`, do not count.
 *
 * @throws Error with every fault; it names lines by their numbers and shows none, since a token may be in it
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
  if (faults.length > 0) throw new Error(faults.join('; '));
  return keys;
}
