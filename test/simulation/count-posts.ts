import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Counts the requests that reach a server with a batch in them, whatever the client says of them and whatever the server
 * makes of them. It hears Node's own announcement of each request, so it shares no code with either side.
 */
export function countPosts(port: number): { count(): number; stop(): void } {
  let count = 0;
  const hear = (message: unknown) => {
    const { request, server } = message as { request: IncomingMessage; server: Server };
    if ((server.address() as AddressInfo | null)?.port !== port) return;
    if (/process\w+Batch/i.test(`${request.headers['content-type']} ${String(request.headers['soapaction'])}`))
      count += 1;
  };
  subscribe('http.server.request.start', hear);
  return { count: () => count, stop: () => void unsubscribe('http.server.request.start', hear) };
}
