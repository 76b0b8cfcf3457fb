import { connect as connectPlain, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { systemCode } from '../../kernel/errors.ts';

/** What tests replace. `certificateAuthority` is trusted instead of, not beside, the built-in authorities. */
export type NetworkParts = { lookup?: LookupFunction; certificateAuthority?: string };

type Opened = { kind: 'open'; connection: Connection } | { kind: 'not_open'; why: string };

/** An open connection on which nothing has been written yet. It carries one request and is then closed. */
export type Connection = {
  readonly socket: Socket;
  /** Returns why the request must not be written, checked at the last moment; undefined when all is well. */
  findFaultBeforeWriting(): Promise<string | undefined>;
  close(): void;
};

/**
 * Opens a new connection: name look-up, TCP and, for https, TLS within one time-out. Every failure here proves that no
 * byte of a request has left, unlike any later failure.
 *
 * It uses sockets directly. Node's agents would reuse connections, and a reused one may die under the first byte. Newer
 * versions also read proxies from the environment, which would then receive card data.
 */
export async function openConnection(address: URL, timeoutMs: number, network: NetworkParts): Promise<Opened> {
  try {
    return await awaitConnection(startConnecting(address, network), address, timeoutMs);
  } catch (error) {
    return notOpen(`the connection could not be prepared${safeCode(error)}`);
  }
}

function startConnecting(address: URL, network: NetworkParts): Socket {
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1');
  const lookup = network.lookup ? { lookup: network.lookup } : {};
  if (address.protocol === 'http:') return connectPlain({ host, port: Number(address.port || 80), ...lookup });
  return connectTls({
    host,
    port: Number(address.port || 443),
    ...lookup,
    ...(network.certificateAuthority === undefined ? {} : { ca: network.certificateAuthority }),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED in the environment would otherwise switch it off.
    rejectUnauthorized: true,
  });
}

function awaitConnection(socket: Socket, address: URL, timeoutMs: number): Promise<Opened> {
  return new Promise((resolve) => {
    const settle = (opened: Opened) => {
      clearTimeout(timer);
      socket.off('error', onFailure).off('close', onFailure);
      if (opened.kind === 'not_open') socket.destroy();
      resolve(opened);
    };
    const onFailure = (error: unknown) => settle(notOpen(`the connection could not be made${safeCode(error)}`));
    const timer = setTimeout(() => settle(notOpen(`no connection within ${timeoutMs} ms`)), timeoutMs);
    // A late error has no receiver, and without a listener it would end the process.
    socket.on('error', () => {});
    socket.on('error', onFailure).on('close', onFailure);
    socket.once(address.protocol === 'https:' ? 'secureConnect' : 'connect', () =>
      settle({ kind: 'open', connection: watchConnection(socket) }),
    );
  });
}

function watchConnection(socket: Socket): Connection {
  let isLost = false;
  const noteLoss = () => {
    isLost = true;
  };
  socket.once('end', noteLoss).once('close', noteLoss).once('error', noteLoss);
  return {
    socket,
    close: () => socket.destroy(),
    async findFaultBeforeWriting() {
      // A close by the service shows only after the event loop has polled. The second turn makes sure that it has.
      await nextTurn();
      await nextTurn();
      if (isLost || socket.destroyed || !socket.writable) return 'the service closed the connection before the request';
      // A peer that speaks first is not the service, or answers another request.
      if (socket.readableLength > 0) return 'the other side sent data before the request';
      return undefined;
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function notOpen(why: string): Opened {
  return { kind: 'not_open', why };
}

/**
 * Returns the code of an error in parentheses, such as ` (ECONNRESET)`, or nothing. Only the code is passed on, because
 * messages and other properties may quote what was sent or received.
 */
export function safeCode(error: unknown): string {
  const code = systemCode(error);
  return code !== undefined && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? ` (${code})` : '';
}
