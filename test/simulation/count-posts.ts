import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Counts the requests with a batch that reach a server, whatever client and server make of them. It listens to Node's
 * own announcement of each request, so it shares no code with either side.
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
