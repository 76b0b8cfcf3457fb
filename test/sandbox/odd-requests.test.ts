import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { LOGIN, PATH, soapRequest } from './support/soap-request.ts';

/** Requests that no client should send, and some do. */
const CALL = soapRequest('GetBatchProcessResultFile', { ...LOGIN, batchId: '7' }, 'soap 1.1').body;
const CALL_12 = soapRequest('GetBatchProcessResultFile', { ...LOGIN, batchId: '7' }).body;
const ANSWER = '<BATCHID>7</BATCHID>';
const TYPE = 'Content-Type: text/xml; charset=utf-8';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** Sends bytes, and returns what comes until the connection ends. */
async function talk(bytes: string | Buffer, ...more: Buffer[]): Promise<string> {
  const socket = connect(sandbox.port, '127.0.0.1');
  socket.on('error', () => undefined);
  for (const piece of [bytes, ...more]) socket.write(piece);
  return text(socket);
}

function ask(method: string, target: string, headers: readonly string[], body: string | Buffer = ''): Promise<string> {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const head = [`${method} ${target} HTTP/1.1`, 'Connection: close', ...headers, length, '', ''].join('\r\n');
  return talk(head, Buffer.from(body));
}

function send(body: string | Buffer, ...headers: string[]): Promise<string> {
  return ask('POST', PATH, ['Host: h', ...(headers.length > 0 ? headers : [TYPE])], body);
}

describe('odd targets', () => {
  it.each([
    `/${PATH}`,
    '//NetGate///ProcessLinkv2.asmx',
    `http://www.iatspayments.com${PATH}`,
    `HTTPS://www.iatspayments.com:443/${PATH}?op=Other`,
    `${PATH}?op=Other&op=GetBatchProcessResultFile`,
  ])('answers a call at %s', async (target) => {
    expect(await ask('POST', target, ['Host: h', TYPE], CALL)).toContain(ANSWER);
  });

  it.each([
    '/NetGate',
    '/NetGate/',
    `${PATH}/`,
    '/NetGate/ProcessLinkv2%2Easmx',
    '/NetGate/../ProcessLinkv2.asmx',
    '*',
  ])('has nothing at %s', async (target) => {
    expect(await ask('POST', target, ['Host: h', TYPE], CALL)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('names the host of an absolute target in its description', async () => {
    const answer = await ask('GET', `http://www.uk.iatspayments.com:81${PATH}?WSDL`, ['Host: other']);
    expect(answer).toContain(`location="http://www.uk.iatspayments.com:81${PATH}"`);
  });

  it('is struck by a fault at every spelling of its address', async () => {
    for (const kind of ['http-503', 'early-answer'] as const) sandbox.faults.plan({ kind });
    for (let call = 0; call < 2; call += 1) {
      expect(await ask('POST', '//NetGate//ProcessLinkv2.asmx', ['Host: h', TYPE], CALL)).not.toContain(ANSWER);
    }
    expect(sandbox.faults.list().map(({ fired }) => fired)).toEqual([1, 1]);
    await sandbox.faults.clear();
  });
});

describe('odd methods', () => {
  it.each(['OPTIONS', 'PUT', 'DELETE', 'TRACE', 'PATCH'])('refuses %s and says what is allowed', async (method) => {
    for (const target of [PATH, '/', '/nothing', '*', '/sandbox/books']) {
      const answer = await ask(method, target, ['Host: h', TYPE], CALL);
      expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
      expect(answer).toContain('\r\nAllow: GET, HEAD, POST\r\n');
    }
  });

  it.each(['/sandbox/guide', '/sandbox/books'])('refuses to POST to %s', async (target) => {
    const answer = await ask('POST', target, ['Host: h', TYPE], CALL);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toContain('\r\nAllow: GET, HEAD\r\n');
  });
});

describe('odd heads', () => {
  const chunked = 'Transfer-Encoding: chunked';
  it.each<[string, string, number]>([
    ['a method of its own', `SOAP ${PATH} HTTP/1.1\r\nHost: h\r\n\r\n`, 400],
    ['no host', `GET / HTTP/1.1\r\n\r\n`, 400],
    ['two lengths', `POST ${PATH} HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12`, 400],
    [
      'a length and chunks',
      `POST ${PATH} HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n${chunked}\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['a negative length', `POST ${PATH} HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n`, 400],
    ['a wrong chunk', `POST ${PATH} HTTP/1.1\r\nHost: h\r\n${chunked}\r\n\r\nxyz\r\n`, 400],
    ['a bad header', `GET / HTTP/1.1\r\nHost: h\r\nBad Name: 1\r\n\r\n`, 400],
    ['a header of 20 KB', `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a target of 20 KB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: h\r\n\r\n`, 431],
    ['an unknown expectation', `GET / HTTP/1.1\r\nHost: h\r\nExpect: luck\r\nConnection: close\r\n\r\n`, 417],
    ['no HTTP', 'HELO there\r\n\r\n', 400],
    ['the start of TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000', 400],
    ['the start of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ])('refuses %s', async (_, bytes, status) => {
    expect(await talk(Buffer.from(bytes, 'latin1'))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('takes a call in pieces of one byte', async () => {
    const pieces = Array.from(CALL, (letter) => `1\r\n${letter}\r\n`).join('');
    const head = `POST ${PATH} HTTP/1.1\r\nHost: h\r\n${TYPE}\r\nConnection: close\r\n${chunked}\r\n\r\n`;
    expect(await talk(`${head}${pieces}0\r\n\r\n`)).toContain(ANSWER);
  });

  it('takes a call whose every byte is a packet', async () => {
    const head = `POST ${PATH} HTTP/1.1\r\nHost: h\r\n${TYPE}\r\nConnection: close\r\nContent-Length: ${CALL.length}`;
    const socket = connect({ port: sandbox.port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    for (const letter of `${head}\r\n\r\n${CALL}`) await new Promise((sent) => void socket.write(letter, sent));
    expect(await text(socket)).toContain(ANSWER);
  });
});

const within = (inner: string) => CALL.replace('<batchId>7</batchId>', inner);
const around = (before: string, after: string) =>
  CALL.replace(/<s:Body>([^]*)<\/s:Body>/, (body) => `${before}${body}${after}`);
const beside = (other: string) => CALL.replace('</s:Body>', `${other}</s:Body>`);
const headed = (header: string) => around(`<s:Header>${header}</s:Header>`, '');
const needed = (more = '') => headed(`<Security xmlns="urn:x" s:mustUnderstand="1"${more}/>`);

describe('odd documents that are answered', () => {
  it.each<[string, string]>([
    ['CDATA', within('<batchId><![CDATA[7]]></batchId>')],
    ['a comment in a value', within('<batchId><!-- a -->7</batchId>')],
    ['a number for a letter', within('<batchId>&#55;</batchId>')],
    ['a number in hexadecimal', within('<batchId>&#x37;</batchId>')],
    ['attributes that mean nothing', within('<batchId x="1">7</batchId>')],
    ['a namespace of its own', within('<x:batchId xmlns:x="urn:x">7</x:batchId>')],
    ['the namespace of the UK', CALL.replaceAll('https://www.iats', 'https://www.uk.iats')],
    ['no namespace', CALL.replace(/ xmlns="[^"]*"/, '')],
    ['an unknown element', within('<batchId>7</batchId><colour>red</colour>')],
    ['1,000 elements', within(`<batchId>7</batchId>${fill(994)}`)],
    ['an instruction before the root', CALL.replace('?>', '?><?php echo 1 ?>')],
    ['a mark of UTF-8', `\uFEFF${CALL}`],
    ['ends of line as on a Mac of old', CALL.replaceAll('\n', '\r')],
    ['a header that need not be understood', headed('<Security xmlns="urn:x" s:mustUnderstand="0"/>')],
    ['a header for another server', needed(' s:actor="urn:somebody"')],
  ])('answers %s', async (_, body) => {
    expect(await send(body)).toContain(ANSWER);
  });
});

function fill(count: number): string {
  return Array.from({ length: count }, (_, index) => `<x${index}/>`).join('');
}

const unread = (reason: string) => new RegExp(`<faultcode>soap:Client</faultcode>.*${reason}`);

describe('odd documents that are refused', () => {
  it.each<[string, string | Buffer, RegExp]>([
    ['a DTD', CALL.replace('?>', '?><!DOCTYPE a SYSTEM "file:///etc/passwd">'), unread('DTD is prohibited')],
    ['an XML bomb', CALL.replace('?>', '?><!DOCTYPE a [<!ENTITY b "&c;&c;">]>'), unread('DTD is prohibited')],
    ['an entity of HTML', within('<batchId>&nbsp;</batchId>'), unread('Invalid character or reference')],
    ['a bare ampersand', within('<batchId>7 & 8</batchId>'), unread('Invalid character or reference')],
    ['a character of number 0', within('<batchId>&#0;</batchId>'), unread('Invalid character')],
    ['an end that is missing', CALL.slice(0, -4), unread('end tag does not match')],
    ['an end of another name', within('<batchId>7</batchID>'), unread('does not match its start tag')],
    ['a second document', CALL + CALL.replace(/^<\?.*\n/, ''), unread('multiple root elements')],
    ['text behind the root', `${CALL}x`, unread('Data at the root level is invalid')],
    [
      'a declared charset that is not that of the bytes',
      Buffer.from(within('<batchId>é</batchId>'), 'latin1'),
      unread('character set'),
    ],
    ['a parameter twice', within('<batchId>7</batchId><batchId>7</batchId>'), unread('batchId is there twice')],
    ['the password twice', within('<batchId>7</batchId><password>x</password>'), unread('password is there twice')],
    ['two calls in one body', beside('<DeleteCustomerCode/>'), unread('more than one element')],
    ['two bodies', around('', '<s:Body/>'), unread('more than one body')],
    ['1,001 elements', within(`<batchId>7</batchId>${fill(995)}`), unread('more than 1000 elements')],
    ['1,001 attributes', within(`<batchId ${attributes(1001)}>7</batchId>`), unread('more than 1000 attributes')],
    ['51 levels', within('<batchId>'.repeat(60)), unread('nested more than 50 levels')],
    ['20,000 comments', within('<!---->'.repeat(20_000)), unread('more than 10000 parts')],
    ['an envelope in small letters', CALL.replaceAll('s:Envelope', 's:envelope'), unread('not a SOAP envelope')],
    ['an operation in small letters', CALL.replaceAll('GetBatch', 'getBatch'), /did not recognize the value/],
    ['a header to be understood', needed(), /<faultcode>soap:MustUnderstand<.*SOAP header Security was not understood/],
    ['the same for the next server', needed(' s:actor="http://schemas.xmlsoap.org/soap/actor/next"'), /MustUnderstand/],
  ])('refuses %s', async (_, body, pattern) => {
    const answer = await send(body);
    expect(answer).toMatch(/^HTTP\/1\.1 500 /);
    expect(answer).toMatch(pattern);
    expect(answer).not.toContain(ANSWER);
  });

  it('refuses a header to be understood in SOAP 1.2 too', async () => {
    const header = '<env:Header><a:Action xmlns:a="urn:a" env:mustUnderstand="true">x</a:Action></env:Header>';
    const answer = await send(
      CALL_12.replace('<env:Body>', `${header}<env:Body>`),
      'Content-Type: application/soap+xml',
    );
    expect(answer).toContain('<soap:Value>soap:MustUnderstand</soap:Value>');
    expect(answer).toContain('SOAP header Action was not understood.');
  });

  it('misses an element of another spelling, and has none for nil', async () => {
    for (const inner of ['<BatchId>7</BatchId>', '<batchId xmlns:i="i" i:nil="true">7</batchId>', '']) {
      expect(await send(within(inner))).toContain('Object reference not set to an instance of an object.');
    }
  });

  it('refuses 200,000 elements before another call has to wait', async () => {
    const [answer, other] = await Promise.all([send(within(`<batchId>7</batchId>${fill(200_000)}`)), send(CALL)]);
    expect(answer).toContain('more than 1000 elements');
    expect(other).toContain(ANSWER);
  });
});

function attributes(count: number): string {
  return Array.from({ length: count }, (_, index) => `a${index}=""`).join(' ');
}
