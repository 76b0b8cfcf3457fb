/** Returns whether a host, as written in settings and URLs, is this machine. It does not resolve names. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
