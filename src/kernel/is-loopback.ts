/** Whether a host is this machine, as settings and URLs write it. What a name elsewhere leads to is not asked. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
