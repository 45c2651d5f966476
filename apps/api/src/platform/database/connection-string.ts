/** Parameters of a connection string that have an effect here: texts, paths of files, and those with few values. */
const TEXTS = ['application_name', 'fallback_application_name', 'host', 'options', 'password', 'port', 'user'];
const FILES = ['sslcert', 'sslkey', 'sslrootcert'];
/** What providers write into a string, and the driver ignores. */
const IGNORED = ['channel_binding', 'connect_timeout'];
const VALUES: Readonly<Record<string, readonly string[]>> = {
  ssl: ['true', '1', '0', 'no-verify'],
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  // The service writes: only the primary will do.
  target_session_attrs: ['read-write', 'primary'],
  uselibpqcompat: ['true', 'false'],
};

const NOT_ENCODED =
  'must have each @, /, ?, # and % of the user and the password percent-encoded (%40, %2F, %3F, %23, %25)';
const SEVERAL_HOSTS =
  'must name one host that leads to the primary: HAProxy with the check /primary of Patroni, a service such as ' +
  'bookings-db-rw of CloudNativePG, or the endpoint of a managed database';
const NO_URL =
  'must be a URL such as postgres://user:password@host:5432/database, or for a socket ' +
  'postgres://user:password@localhost/database?host=/run/postgresql';

/**
 * What is wrong with a connection string, as the end of a sentence; undefined if nothing is. It quotes nothing that may
 * be part of a password.
 */
export function connectionStringFault(text: string): string | undefined {
  const [, authority, rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (authority === undefined) return NO_URL;
  // One `@`, which ends user and password, no fragment, and an escape after each `%`.
  if (authority.split('@').length > 2 || /[@#]/.test(rest) || !isDecodable(text)) return NOT_ENCODED;
  if (authority.split('@').at(-1)!.includes(',')) return SEVERAL_HOSTS;
  if (!URL.canParse(text) || text.includes('%00')) return NO_URL;
  const { hostname, port, searchParams } = new URL(text);
  if (hostname === '' || port === '0') return NO_URL;
  // A password with an `&` ends in what looks like a parameter.
  const mayBeSecret = searchParams.has('password');
  return [...searchParams]
    .map(([name, value]) => parameterFault(name, value, mayBeSecret))
    .find((fault) => fault !== undefined);
}

function parameterFault(name: string, value: string, mayBeSecret: boolean): string | undefined {
  const names = [...TEXTS, ...FILES, ...Object.keys(VALUES)];
  if (![...names, ...IGNORED].includes(name)) {
    const shown = mayBeSecret ? 'a parameter' : `the parameter \`${name}\``;
    return `has ${shown} without effect here; those with one are ${names.join(', ')}`;
  }
  if (name === 'host' && value.includes(',')) return SEVERAL_HOSTS;
  // The driver would wait for ever.
  if (name === 'port' && !isPort(value)) return 'must have a whole number from 1 to 65535 as `port`';
  const values = VALUES[name];
  return values === undefined || values.includes(value)
    ? undefined
    : `must have one of ${values.join(', ')} as \`${name}\``;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isPort(digits: string): boolean {
  return /^\d{1,5}$/.test(digits) && Number(digits) >= 1 && Number(digits) <= 65_535;
}
