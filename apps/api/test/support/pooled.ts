/** Settings of a service in a test, which may reach its database through a pooler. */
export const POOLER = process.env['TEST_SERVER_URL'] === undefined ? {} : { DATABASE_POOLER: 'transaction' };

/** The server itself: a pooler keeps the settings of a role with which its sessions began. */
export function onServer(url: string): string {
  const direct = new URL(url);
  direct.host = new URL(process.env['TEST_SERVER_URL'] ?? url).host;
  return direct.href;
}
