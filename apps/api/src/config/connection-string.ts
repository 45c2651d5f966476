const FREE_TEXT = ['application_name', 'fallback_application_name', 'host', 'options', 'password', 'port', 'user'];
const FILE_PATHS = ['sslcert', 'sslkey', 'sslrootcert'];
const IGNORED = ['channel_binding', 'connect_timeout'];
const ENUMS: Readonly<Record<string, readonly string[]>> = {
  ssl: ['true', '1', '0', 'no-verify'],
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  target_session_attrs: ['read-write', 'primary'],
  uselibpqcompat: ['true', 'false'],
};

const NOT_ENCODED =
  'must have each @, /, ?, # and % of the user and the password percent-encoded (%40, %2F, %3F, %23, %25)';
const SEVERAL_HOSTS =
  'must name one host that leads to the primary: HAProxy with the check /primary of Patroni, the -rw service of ' +
  'CloudNativePG, or the endpoint of a managed database';
const NO_URL =
  'must be a URL such as postgres://user:password@host:5432/database, or for a socket ' +
  'postgres://user:password@localhost/database?host=/run/postgresql';

/** @returns the fault in a connection string, as the end of a sentence that quotes no part of a password */
export function connectionStringFault(text: string): string | undefined {
  const [, authority, rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (authority === undefined) return NO_URL;
  if (authority.split('@').length > 2 || /[@#]/.test(rest) || !isDecodable(text)) return NOT_ENCODED;
  if (authority.split('@').at(-1)!.includes(',')) return SEVERAL_HOSTS;
  if (!URL.canParse(text) || text.includes('%00')) return NO_URL;
  const { hostname, port, searchParams } = new URL(text);
  if (hostname === '' || port === '0') return NO_URL;
  // What follows an unencoded `&` in a `password` looks like another parameter.
  const mayBeSecret = searchParams.has('password');
  return [...searchParams]
    .map(([name, value]) => parameterFault(name, value, mayBeSecret))
    .find((fault) => fault !== undefined);
}

function parameterFault(name: string, value: string, mayBeSecret: boolean): string | undefined {
  const names = [...FREE_TEXT, ...FILE_PATHS, ...Object.keys(ENUMS)];
  if (![...names, ...IGNORED].includes(name)) {
    const shown = mayBeSecret ? 'a parameter' : `the parameter \`${name}\``;
    return `has ${shown} without effect here; those with one are ${names.join(', ')}`;
  }
  if (name === 'host' && value.includes(',')) return SEVERAL_HOSTS;
  const isPort = /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535;
  // A driver that is given any other port would never stop waiting.
  if (name === 'port' && !isPort) return 'must have a whole number from 1 to 65535 as `port`';
  const values = ENUMS[name];
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
