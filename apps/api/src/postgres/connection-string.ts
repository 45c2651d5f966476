const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]+)(.*)$/s;

/**
 * The URLs of each host of a connection string, as in `postgres://user@a:5432,b:5432/database` (PostgreSQL,
 * "Connection URIs"). One host is a list of one.
 *
 * @returns no URL where the text is no connection string
 */
export function hostsOf(connectionString: string): string[] {
  const [, start, hosts = '', rest = ''] = SEVERAL.exec(connectionString) ?? [];
  const urls = hosts.split(',').map((host) => `${start}${host}${rest}`);
  return urls.every((url) => URL.canParse(url) && new URL(url).hostname !== '') ? urls : [];
}

/** Whether a connection string asks for nothing but what the service does: it goes to the one that takes writes. */
export function asksForTheWriter(connectionString: string): boolean {
  const asked = /[?&]target_session_attrs=([^&#]*)/.exec(connectionString)?.[1];
  return asked === undefined || asked === 'read-write' || asked === 'primary';
}
