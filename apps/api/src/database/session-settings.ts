/** Settings of PostgreSQL by name ("Server Configuration"). */
export type SessionSettings = Readonly<Record<string, string | number>>;

/** What each statement relies on, whatever is set for the role, for the database or in the connection string. */
function reliedOn(statementTimeout: number): SessionSettings {
  return {
    statement_timeout: statementTimeout,
    lock_timeout: 0,
    // Ends the transaction of a client that is gone, which a pooler would keep open for hours.
    idle_in_transaction_session_timeout: 2 * statementTimeout,
  };
}

/**
 * Prepared statements are planned once for each connection. By default PostgreSQL would plan every list again, because
 * plans look cheaper to it once it knows the limit; that is half of the CPU of a list.
 */
const PLANNING: SessionSettings = { plan_cache_mode: 'force_generic_plan' };

/** The settings of a session that is not shared by a pooler. */
export function sessionSettings(statementTimeout: number): SessionSettings {
  return { ...reliedOn(statementTimeout), ...PLANNING };
}

/** Settings of a transaction rather than of the session: a transaction pooler runs each in any session. */
export function beginLimited(statementTimeout: number): string {
  const settings = Object.entries(reliedOn(statementTimeout)).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  return ['BEGIN', ...settings].join('; ');
}

/** A connection string with settings for its sessions. They are added to its `options`, and win over the same there. */
export function withSettings(connectionString: string, settings: SessionSettings): string {
  const [base, parameters] = parametersOf(connectionString);
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  parameters.set('options', [parameters.get('options') ?? [], own].flat().join(' '));
  return `${base}?${parameters.toString()}`;
}

/** Whether the `options` of a connection string have settings, rather than what a proxy on the way wants to know. */
export function hasSettings(connectionString: string): boolean {
  const [, parameters] = parametersOf(connectionString);
  return /(?:^|\s)-(?:c|-)/.test(parameters.get('options') ?? '');
}

function parametersOf(connectionString: string): [base: string, parameters: URLSearchParams] {
  const [base, query] = connectionString.split('?', 2);
  return [base!, new URLSearchParams(query)];
}
