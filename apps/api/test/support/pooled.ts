/** The URL without the pooler, whose sessions keep the settings that a role had when they began. */
export function onServer(url: string): string {
  const direct = new URL(url);
  direct.host = new URL(process.env['TEST_SERVER_URL'] ?? url).host;
  return direct.href;
}
