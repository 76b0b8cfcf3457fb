import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { systemCode } from '../../../../src/kernel/errors.ts';
import { LOGIN, PATH, soapRequest } from '../../support/soap-request.ts';

/** How a connection ended for the client, and what it had read. */
type RawEnd = { readonly text: string; readonly error: string | undefined };

/** Connects, writes, and reads until the connection is gone. It never ends it itself. */
export async function exchangeRaw(port: number, bytes: string | undefined): Promise<RawEnd> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false });
  const end = watchEnd(socket);
  if (bytes !== undefined) socket.write(bytes);
  return end;
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false });
  await once(socket, 'connect');
  return socket;
}

export function watchEnd(socket: Socket): Promise<RawEnd> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let error: string | undefined;
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (broken) => {
      error = systemCode(broken);
    });
    socket.on('close', () => resolve({ text: Buffer.concat(chunks).toString('latin1'), error }));
  });
}

/** Returns a card charge as HTTP: its head and its body. */
export function rawCharge(): { readonly head: string; readonly body: string } {
  const { headers, body } = soapRequest('ProcessCreditCard', {
    ...LOGIN,
    invoiceNum: 'RAW-1',
    creditCardNum: '4222222222222220',
    creditCardExpiry: '12/35',
    total: '5.00',
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${PATH} HTTP/1.1\r\nHost: h\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n`;
  return { head, body };
}
