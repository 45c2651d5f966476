import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { scopes } from '@booking-service/contracts';
import { digestOf, parseApiKeys } from '../auth/api-keys.js';
import { print, printError } from '../observability/print.js';

const USAGE = `Usage: api-key NAME --scopes SCOPE,...
NAME is 1 to 64 of A-Z a-z 0-9 . _ - and a SCOPE is ${scopes.join(' or ')}.
`;

class Usage extends Error {}

try {
  print(made());
} catch (error) {
  printError(error instanceof Usage ? USAGE : `Failed: ${(error as Error).message}\n`);
  process.exit(1);
}

/** @throws Usage */
function made(): string {
  // 256 random bits after a prefix that scanners for leaked secrets can find.
  const token = `bookings_${randomBytes(32).toString('base64url')}`;
  const line = lineOf(token);
  return `The token, which is not shown again:\n\n  ${token}\n\nThe line for AUTH_API_KEYS_FILE:\n\n  ${line}\n`;
}

function lineOf(token: string): string {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { scopes: { type: 'string' } } });
    const line = `${positionals.join(' ')} sha256:${digestOf(token).toString('hex')} ${values.scopes}`;
    if (parseApiKeys(line).length === 1) return line;
  } catch {
    // Neither arguments nor a line that can be read.
  }
  throw new Usage();
}
