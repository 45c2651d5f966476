/** Whether an address is one of this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(host);
}

/** Whether nobody between can change what is fetched from a URL. */
export function isHttpsOrLoopback(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}
