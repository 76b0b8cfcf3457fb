import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as listen, type Socket } from 'node:net';
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

export type Mail = { from: string; to: string[]; text: string };

export type MailServer = {
  url: string;
  mails: Mail[];
  /** Refuses mails with this line from now on; undefined accepts them again. */
  refuse(line: string | undefined): void;
  close(): Promise<void>;
};

/** Starts a mail server on a port of the loopback that takes everything, with as much SMTP as a sender needs. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = [];
  const sockets = new Set<Socket>();
  let refusal: string | undefined;
  const server = listen((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    converse(socket, (mail) => {
      if (refusal === undefined) mails.push(mail);
      return refusal ?? '250 taken';
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    refuse: (line) => {
      refusal = line;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function converse(socket: Socket, take: (mail: Mail) => string): void {
  let mail: Mail = { from: '', to: [], text: '' };
  let inData = false;
  let rest = '';
  const answer = (line: string) => socket.write(`${line}\r\n`);
  const hear = (line: string) => {
    if (inData) {
      if (line !== '.') {
        mail.text += `${line}\n`;
        return;
      }
      inData = false;
      answer(take(mail));
      mail = { from: '', to: [], text: '' };
      return;
    }
    const [, address = ''] = /<(.*)>/.exec(line) ?? [];
    if (/^MAIL FROM/i.test(line)) mail.from = address;
    if (/^RCPT TO/i.test(line)) mail.to.push(address);
    inData = /^DATA/i.test(line);
    if (/^STARTTLS/i.test(line)) answer('502 no TLS here');
    else answer(inData ? '354 go on' : /^QUIT/i.test(line) ? '221 bye' : '250 ok');
  };
  answer('220 test');
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('utf8')).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
}
