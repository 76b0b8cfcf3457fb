import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { generateKeyPairSync, sign } from 'node:crypto';
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

/**
 * Makes a self-signed certificate and its key for each test run, so that the tree holds no private key. It has only
 * what TLS checks: names, validity and the public key (RFC 5280).
 * @param hosts DNS names and IPv4 addresses it is valid for
 */
export function makeCertificate(hosts: readonly string[]): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(objectId(ECDSA_WITH_SHA256));
  const name = sequence(der(0x31, sequence(objectId(COMMON_NAME), der(0x0c, Buffer.from('paydrop test')))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(objectId(SUBJECT_ALT_NAME), der(0x04, sequence(...hosts.map(hostName)))))),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(body, algorithm, signature)),
  };
}

const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';

function hostName(host: string): Buffer {
  const isAddress = /^[\d.]+$/.test(host);
  return isAddress ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}

/** Encodes one element: tag, length, content. Only lengths below 64 KB occur here. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
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
