/** The address a server listens on. */
export type ListenAddress = { readonly host: string; readonly port: number };

/**
 * Reads `host:port`, with IPv6 in brackets. The host is required: leaving it out would mean all addresses, which is
 * seldom intended. Port 0 means any free port.
 */
export function readListenAddress(text: string): ListenAddress | undefined {
  const [, six, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}
