import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Received = { path: string; headers: IncomingHttpHeaders; body: Buffer };

export type Receiver = {
  url: string;
  received: Received[];
  /** Sets how the next requests are answered. */
  answer(with_: (response: ServerResponse) => void): void;
  close(): Promise<void>;
};

/** Starts an HTTP server on a port of the loopback that records what it receives. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const accept = (response: ServerResponse) => response.end('{}');
  let reply: (response: ServerResponse) => void = accept;
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      reply(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (with_) => {
      reply = with_;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
