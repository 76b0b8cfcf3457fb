import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

export type ScriptedServer = {
  readonly url: string;
  readonly port: number;
  /** Every complete request on any connection, head and body. */
  readonly requests: readonly string[];
  readonly connections: readonly Socket[];
  close(): Promise<void>;
};

type Script = {
  /** Runs on a connection before any request has arrived. */
  onConnect?: (socket: Socket) => void;
  /** Runs once a whole request has arrived. */
  onRequest?: (socket: Socket, request: string) => void;
  tls?: { key: string; cert: string; maxVersion?: 'TLSv1.1' | 'TLSv1.2' };
};

/** Starts a server on loopback that knows nothing of HTTP but where a request ends. Its answers are scripted. */
export async function startScripted(script: Script): Promise<ScriptedServer> {
  const requests: string[] = [];
  const connections: Socket[] = [];
  const serve = (socket: Socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    script.onConnect?.(socket);
    collectRequests(socket, (request) => {
      requests.push(request);
      script.onRequest?.(socket, request);
    });
  };
  const server = script.tls
    ? createTlsServer({ minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0', ...script.tls }, serve)
    : createServer(serve);
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${script.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    connections,
    async close() {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns a complete HTTP answer. */
export function httpAnswer(status: number, body: string | Buffer, headers: Record<string, string> = {}): Buffer {
  const all = {
    'Content-Type': 'application/soap+xml; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`), Buffer.from(body)]);
}

function collectRequests(socket: Socket, tell: (request: string) => void): void {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (headEnd === -1 || text.length < headEnd + 4 + length) return;
    tell(text.slice(0, headEnd + 4 + length));
    text = text.slice(headEnd + 4 + length);
  });
}

const TURNS = 50;

/** Stops time: timeouts elapse only when the test says so, so a busy machine is not taken for a slow service. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets everything in transit over loopback arrive, then advances time. */
export async function passTime(ms: number): Promise<void> {
  // These timers are real.
  for (let turns = 0; turns < TURNS; turns += 1) await sleep(1);
  await vi.advanceTimersByTimeAsync(ms);
}

/** Waits for a condition while time stands still; `expect.poll` and `vi.waitFor` would advance it with each check. */
export async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(1);
}
