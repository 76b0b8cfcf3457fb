import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import { PipelineError, reasonOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';

/** A listening server that can be shut for a while and reopened on the same port. */
export type Listener = {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Refuses new connections for `forMs`, or until `open` if undefined. Closes idle connections. */
  shut(forMs: number | undefined): void;
  /** @throws CONFIG_INVALID when another program has taken the port and keeps it */
  open(): Promise<void>;
  /** Closes for good, with all connections; kept-alive connections would otherwise hold the server open. */
  close(): Promise<void>;
};

/** @throws CONFIG_INVALID when the server cannot listen on the address */
export async function openListener(server: Server, wanted: { port: number; host: string }, log: Log) {
  await listen(server, wanted.port, wanted.host);
  const { address, family, port } = server.address() as AddressInfo;
  // Closing must not wait for a connection that has not got as far as HTTP.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  let timer: NodeJS.Timeout | undefined;
  let isShut = false;

  async function open(): Promise<void> {
    clearTimeout(timer);
    isShut = false;
    for (let attempt = 1; !isShut && !server.listening; attempt += 1) {
      try {
        await listen(server, port, address);
      } catch (error) {
        // An outgoing connection of another program may hold the port briefly.
        if (attempt >= MOST_ATTEMPTS) throw error;
        await sleep(ATTEMPT_MS);
      }
    }
    if (isShut && server.listening) server.close();
  }

  const listener: Listener = {
    url: `${server instanceof TlsServer ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    port,
    shut: (forMs) => {
      clearTimeout(timer);
      isShut = true;
      if (server.listening) server.close();
      if (forMs === undefined) return;
      timer = setTimeout(() => {
        open().catch((error: unknown) => log.error({ reason: reasonOf(error) }, 'the sandbox stays shut'));
      }, forMs);
    },
    open,
    close: () => {
      clearTimeout(timer);
      isShut = true;
      const closed = closeServer(server);
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
  return listener;
}

const MOST_ATTEMPTS = 250;
const ATTEMPT_MS = 20;

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      const next = 'Choose another port or host.';
      const action = `listen for the sandbox on "${host}:${port}"`;
      reject(new PipelineError('CONFIG_INVALID', action, reasonOf(error), { cause: error, next }));
    };
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    if (server.listening) server.close((error) => (error ? reject(error) : resolve()));
    else resolve();
    server.closeAllConnections();
  });
}
