import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '@booking-service/contracts';
import { temporaryFolder } from 'testing';
import { digestOf } from '../../src/features/auth/api-keys.js';

export interface TestKey {
  readonly token: string;
  readonly line: string;
}

/** A new token, by default with every scope. An operator's own token may contain a dot, as a JWT does. */
export function anApiKey(name: string, ...scopes: Scope[]): TestKey {
  const token = `bookings.${randomBytes(32).toString('base64url')}`;
  const granted = scopes.length === 0 ? 'bookings:read,bookings:write' : scopes.join(',');
  return { token, line: `${name} sha256:${digestOf(token)} ${granted}` };
}

export class ApiKeysFile {
  readonly path = join(temporaryFolder(), 'keys');

  constructor(...keys: TestKey[]) {
    this.write(...keys.map(({ line }) => line));
  }

  write(...lines: string[]): void {
    writeFileSync(this.path, `${lines.join('\n')}\n`);
  }
}

export function bearer({ token }: { token: string }): string {
  return `Bearer ${token}`;
}
