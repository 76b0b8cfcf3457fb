import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openLog } from '../../src/kernel/log.ts';
import { LOGIN, PATH, post, soapRequest } from './support/soap-request.ts';
import { BANK_NUMBER } from './support/make-context.ts';
import { useSandboxes } from './support/sandbox-world.ts';
import { readBody, serverOf } from '../../src/sandbox/handle-request.ts';
import { escapeHtml, headersOf, htmlReply, jsonReply, type Reply, sendReply } from '../../src/sandbox/reply.ts';

const world = useSandboxes();
const ACH = { accountNum: BANK_NUMBER, accountType: 'CHECKING', total: '5.00' };
const CHARGE = soapRequest('ProcessCreditCard', { ...LOGIN, creditCardNum: '4222222222222220', total: '5.00' });

describe('handleRequest', () => {
  it('books a call once, though a fault that is not due has looked at it', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'booked-then-reset', after: 5 });
    sandbox.faults.plan({ kind: 'result-empty' });
    expect((await post(sandbox.url + PATH, CHARGE)).status).toBe(200);
    expect(sandbox.books()).toHaveLength(1);
  });

  it('logs which fault struck, and no number', async () => {
    const lines: string[] = [];
    const log = openLog({ destination: { write: (line: string) => void lines.push(line) } });
    const sandbox = await world.start({ log });
    sandbox.faults.plan({ kind: 'http-503' });
    sandbox.faults.plan({ kind: 'early-answer', operation: 'processCreditCard', after: 1 });
    await post(sandbox.url + PATH, CHARGE);
    await post(sandbox.url + PATH, CHARGE);
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'fault struck');
    expect(told).toMatchObject([{ fault: 'http-503', operation: 'processCreditCard' }, { fault: 'early-answer' }]);
    expect(lines.join('')).not.toContain('4222222222222220');
  });

  it('lives on when a client goes away in the middle of a fault', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'slow-drip', delayMs: 1 });
    const socket = connect(sandbox.port, '127.0.0.1');
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: h\r\nContent-Length: ${CHARGE.body.length}\r\n\r\n${CHARGE.body}`);
    await once(socket, 'data');
    socket.resetAndDestroy();
    expect((await post(sandbox.url + PATH, CHARGE)).status).toBe(200);
  });

  it('names its own address in its description, and takes the other host at either port', async () => {
    const { url, urlUk = '' } = await world.start({ port: 0, portUk: 0 });
    expect(await (await fetch(`${urlUk}${PATH}?WSDL`)).text()).toContain(`location="${urlUk}${PATH}"`);
    const answer = await askAs('www.uk.iatspayments.com', url);
    expect(answer).toContain('Service cannot be used on this server.');
    expect(await askAs('www.iatspayments.com', url)).toContain('OK: 555555:');
  });
});

async function askAs(host: string, url: string): Promise<string> {
  const { headers, body } = soapRequest('ProcessACHEFT', { ...LOGIN, ...ACH });
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const lines = Object.entries({ ...headers, Host: host, Connection: 'close', 'Content-Length': String(body.length) });
  socket.write(`POST ${PATH} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n${body}`);
  return textOf(socket);
}

describe('serverOf', () => {
  it.each([
    ['127.0.0.1:8899', undefined, undefined],
    ['127.0.0.1:8899', 'NA', 'NA'],
    ['127.0.0.1:8900', 'UK', 'UK'],
    ['WWW.UK.iatspayments.com', undefined, 'UK'],
    ['www.uk.localhost:8899', 'NA', 'UK'],
    ['www.iatspayments.com', undefined, 'NA'],
    ['www2.iatspayments.com:443', undefined, 'NA'],
    ['www.iatspayments.com', 'UK', 'UK'],
    ['', undefined, undefined],
  ] as const)('%s at the port of %s is the server %s', (host, port, server) => {
    expect(serverOf(host, port)).toBe(server);
  });
});

describe('readBody', () => {
  it('joins the pieces', async () => {
    expect(await readBody(pieces('ab', 'c'), 3)).toEqual(Buffer.from('abc'));
    expect(await readBody(pieces(), 3)).toEqual(Buffer.alloc(0));
  });

  it('is undefined above the limit, with everything read', async () => {
    const body = pieces('ab', 'cd', 'ef');
    expect(await readBody(body, 5)).toBeUndefined();
    expect(body.readableEnded).toBe(true);
  });

  it('stops reading at ten times the limit', async () => {
    let given = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1, given++);
      })(),
    );
    expect(await readBody(endless, 2)).toBeUndefined();
    expect(given).toBeLessThan(100);
    expect(endless.destroyed).toBe(true);
  });

  it('fails when the connection breaks', async () => {
    const broken = new Readable({ read: () => undefined });
    const body = readBody(broken, 10);
    broken.push(Buffer.from('ab'));
    broken.destroy(new Error('aborted'));
    await expect(body).rejects.toThrow('aborted');
  });
});

function pieces(...texts: string[]): Readable {
  return Readable.from(texts.map((text) => Buffer.from(text)));
}

describe('sendReply', () => {
  it('sends status, body and the headers of the service, and no others but those of HTTP', async () => {
    const { status, headers, text } = await receive({
      status: 200,
      contentType: 'text/xml; charset=utf-8',
      body: '<é/>',
    });
    expect({ status, text }).toEqual({ status: 200, text: '<é/>' });
    expect(Object.fromEntries([...headers].filter(([name]) => name !== 'date'))).toEqual({
      'cache-control': 'private, max-age=0',
      'content-type': 'text/xml; charset=utf-8',
      'x-aspnet-version': '4.0.30319',
      'x-paydrop-sandbox': '1',
      'x-powered-by': 'ASP.NET',
      'content-length': '5',
      connection: 'keep-alive',
      'keep-alive': 'timeout=5',
    });
  });

  it('lets a reply bring its own headers', async () => {
    const { headers } = await receive({
      status: 500,
      contentType: 'text/xml',
      body: '',
      headers: { 'Cache-Control': 'private' },
    });
    expect(headers.get('cache-control')).toBe('private');
  });
});

describe('headersOf', () => {
  it('counts bytes, and lets a reply bring its own', () => {
    const headers = headersOf({ status: 200, contentType: 'a/b', body: 'é', headers: { 'Cache-Control': 'private' } });
    expect(headers).toMatchObject({ 'Content-Type': 'a/b', 'Content-Length': 2, 'Cache-Control': 'private' });
  });
});

describe('jsonReply', () => {
  it('writes JSON and a line end', () => {
    const { status, contentType, body } = jsonReply(201, { a: 'é' });
    expect([status, contentType, body]).toEqual([201, 'application/json; charset=utf-8', '{"a":"é"}\n']);
  });
});

describe('htmlReply', () => {
  it('writes a page whose title cannot break out', () => {
    const { status, body } = htmlReply(404, '<script>', '<p>x</p>');
    expect(status).toBe(404);
    expect(body).toContain('<h1>&lt;script&gt;</h1><p>x</p>');
    expect(body).not.toContain('<script>');
  });
});

describe('escapeHtml', () => {
  it('covers attributes too', () => {
    expect(escapeHtml('<a href="&">')).toBe('&lt;a href=&quot;&amp;&quot;&gt;');
  });
});

async function receive(reply: Reply) {
  const server = createServer((_, response) => sendReply(response, reply));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
