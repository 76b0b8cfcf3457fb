/** Where a server listens. */
export type ListenAddress = { readonly host: string; readonly port: number };

/**
 * Reads `host:port`; IPv6 stands in brackets. The host must be written: who listens on all addresses by leaving it out
 * seldom means to. Port 0 is any that is free.
 */
export function readListenAddress(text: string): ListenAddress | undefined {
  const [, six, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}
