import leven from 'leven';
import { hostsOf } from './hosts.js';

/** Parameters of a connection string that have an effect here, and which values those with few of them may have. */
const PARAMETERS: Readonly<Record<string, readonly string[] | undefined>> = {
  application_name: undefined,
  fallback_application_name: undefined,
  host: undefined,
  options: undefined,
  password: undefined,
  port: undefined,
  ssl: ['true', '1', '0', 'no-verify'],
  sslcert: undefined,
  sslkey: undefined,
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  sslrootcert: undefined,
  target_session_attrs: ['any', 'read-only', 'standby', 'prefer-standby', 'read-write', 'primary'],
  uselibpqcompat: ['true', 'false'],
  user: undefined,
};

/** The service writes: a server that takes no writes will not do. */
const OF_WRITER = { ...PARAMETERS, target_session_attrs: ['read-write', 'primary'] };

/**
 * What is wrong with a connection string, as the end of a sentence; undefined if nothing is. It quotes nothing that may
 * be part of a password.
 */
export function connectionStringFault(text: string, wanted: 'writer' | 'any'): string | undefined {
  if (!isEncoded(text)) {
    return 'must have each @, /, ?, # and % of the user and the password percent-encoded (%40, %2F, %3F, %23, %25)';
  }
  const [url] = hostsOf(text);
  if (url === undefined || decodeURIComponent(text).includes('\0'))
    return 'must be a URL such as postgres://user:password@host:5432/database';
  const known: typeof PARAMETERS = wanted === 'writer' ? OF_WRITER : PARAMETERS;
  for (const [name, value] of new URL(url).searchParams) {
    if (!Object.hasOwn(known, name)) return unknownParameter(name, Object.keys(known));
    if (name === 'port' && !isPort(value)) return 'must have a whole number from 1 to 65535 as `port`';
    const values = known[name];
    if (values !== undefined && !values.includes(value)) return `must have one of ${values.join(', ')} as \`${name}\``;
  }
  return undefined;
}

/** Whether the only `@` ends the user and the password, nothing is a fragment, and each `%` begins an escape. */
function isEncoded(text: string): boolean {
  const [, authority = '', rest = ''] = /^[a-z]+:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (authority.split('@').length > 2 || /[@#]/.test(rest)) return false;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isPort(digits: string): boolean {
  return /^\d+$/.test(digits) && Number(digits) >= 1 && Number(digits) <= 65_535;
}

function unknownParameter(name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: leven(name.toLowerCase(), candidate) }))
    .filter(({ distance }) => distance <= name.length / 4)
    .toSorted((one, other) => one.distance - other.distance);
  if (nearest === undefined) return `has a parameter that has no effect here; those that have are ${known.join(', ')}`;
  return `has the unknown parameter \`${name}\`: the nearest known one is \`${nearest.candidate}\``;
}
