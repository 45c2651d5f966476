import { randomBytes } from 'node:crypto';
import { scopes } from '@booking-service/contracts';
import { digestOf, parseApiKeys } from '../features/auth/api-keys.js';
import { parseWords, runCommand, UsageError } from './command.js';

const USAGE = `Usage: api-key NAME --scopes SCOPE,...
NAME is 1 to 64 of A-Z a-z 0-9 . _ - and a SCOPE is ${scopes.join(' or ')}.
`;

await runCommand(() => {
  const { positionals, values } = parseWords({ scopes: { type: 'string' } });
  // 256 random bits after a prefix that scanners for leaked secrets can recognize.
  const token = `bookings_${randomBytes(32).toString('base64url')}`;
  const line = `${positionals.join(' ')} sha256:${digestOf(token)} ${values.scopes}`;
  if (!isKey(line)) throw new UsageError();
  return `The token, which is not shown again:\n\n  ${token}\n\nThe line for AUTH_API_KEYS_FILE:\n\n  ${line}\n`;
}, USAGE);

function isKey(line: string): boolean {
  try {
    return parseApiKeys(line).size === 1;
  } catch {
    return false;
  }
}
