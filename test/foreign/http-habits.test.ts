import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Client, createClientAsync } from 'soap';
import { useSandboxes } from '../sandbox/support/sandbox-world.ts';
import { CARD_RECORD, LOGIN, PATH, soapRequest, toBase64 } from '../sandbox/support/soap-request.ts';

describe('the sandbox', () => {
  /** What clients do below SOAP: old versions of HTTP, chunked bodies, other character sets. */
  const world = useSandboxes();
  const CALL = soapRequest('GetBatchProcessResultFile', { ...LOGIN, batchId: '7' }, 'soap 1.1').body;
  const ANSWER = '<BATCHID>7</BATCHID>';
  const TYPE = 'text/xml; charset=utf-8';

  it.each<[string, string[], string | Buffer]>([
    ['HTTP/1.1, once', ['POST', 'HTTP/1.1', `Content-Type: ${TYPE}`, 'Connection: close'], CALL],
    ['HTTP/1.0', ['POST', 'HTTP/1.0', `Content-Type: ${TYPE}`], CALL],
    ['a body in pieces', ['POST', 'HTTP/1.1', `Content-Type: ${TYPE}`, 'Transfer-Encoding: chunked'], inPieces(CALL)],
    ['UTF-16 with its mark', ['POST', 'HTTP/1.0', 'Content-Type: text/xml; charset=utf-16'], utf16(`\uFEFF${CALL}`)],
    ['UTF-16 without a mark', ['POST', 'HTTP/1.0', 'Content-Type: text/xml; charset=utf-16'], utf16(declared(CALL))],
    ['UTF-16, most significant byte first', ['POST', 'HTTP/1.0', 'Content-Type: text/xml'], utf16(CALL).swap16()],
    ['Latin-1', ['POST', 'HTTP/1.0', 'Content-Type: text/xml; charset=ISO-8859-1'], Buffer.from(CALL, 'latin1')],
    ['no charset', ['POST', 'HTTP/1.0', 'Content-Type: text/xml'], CALL],
  ])('answers %s', async (_, [method = '', version = '', ...headers], body) => {
    const answer = await talk(await start(), method, version, headers, body);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('\r\nContent-Type: text/xml; charset=utf-8\r\n');
    expect(answer).toContain(ANSWER);
  });

  it.each<[string, string[], string | Buffer, number, string]>([
    ['JSON', ['POST', 'Content-Type: application/json'], CALL, 415, 'Send text/xml for SOAP 1.1'],
    ['no type', ['POST'], CALL, 415, 'Send text/xml for SOAP 1.1'],
    ['gzip', ['POST', `Content-Type: ${TYPE}`, 'Content-Encoding: gzip'], gzipSync(CALL), 415, 'without a Content-Enc'],
    ['PUT', ['PUT', `Content-Type: ${TYPE}`], CALL, 405, 'takes GET, HEAD, POST only'],
    ['nothing', ['POST', `Content-Type: ${TYPE}`], '', 500, 'Root element is missing.'],
  ])('refuses %s in words', async (_, [method = '', ...headers], body, status, words) => {
    const answer = await talk(await start(), method, 'HTTP/1.0', headers, body);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain(words);
  });

  it.each(['', '?WSDL', '?op=ProcessCreditCard'])('tells HEAD the length of "%s" and sends nothing', async (query) => {
    const sandbox = await start();
    const head = await talk(sandbox, 'HEAD', 'HTTP/1.0', [], '', query);
    const [headers = '', body] = (await talk(sandbox, 'GET', 'HTTP/1.0', [], '', query)).split('\r\n\r\n');
    expect(head.split('\r\n\r\n')).toEqual([expect.any(String), '']);
    expect(lengthOf(head)).toBe(lengthOf(headers));
    expect(lengthOf(headers)).toBe(Buffer.byteLength(body ?? ''));
  });

  it('asks a client to go on that waits for it', async () => {
    const { port } = await start();
    const headers = { 'Content-Type': TYPE, 'Content-Length': Buffer.byteLength(CALL), Expect: '100-continue' };
    const call = request({ port, host: '127.0.0.1', path: PATH, method: 'POST', headers });
    call.flushHeaders();
    await new Promise((resolve) => void call.once('continue', resolve));
    call.end(CALL);
    const answer = await new Promise<string>((resolve, reject) => {
      call.once('error', reject);
      call.once('response', (response) => void text(response).then(resolve, reject));
    });
    expect(answer).toContain(ANSWER);
  });

  it('keeps a connection open for programs that pause between their calls', async () => {
    const { url } = await start();
    const answer = await fetch(url + PATH);
    await answer.text();
    expect(answer.headers.get('keep-alive')).toBe('timeout=120');
  });

  it('answers calls that are sent one behind the other without waiting', async () => {
    const { port } = await start();
    const head = `POST ${PATH} HTTP/1.1\r\nHost: h\r\nContent-Type: ${TYPE}\r\nContent-Length: ${CALL.length}`;
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head}\r\n\r\n${CALL}${head}\r\nConnection: close\r\n\r\n${CALL}`);
    expect((await text(socket)).split(ANSWER)).toHaveLength(3);
  });

  function start() {
    return world.start();
  }

  async function talk(
    { port }: { port: number },
    method: string,
    version: string,
    headers: readonly string[],
    body: string | Buffer,
    query = '',
  ): Promise<string> {
    const isChunked = headers.some((header) => header.startsWith('Transfer-Encoding'));
    const length = isChunked ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    const host = version === 'HTTP/1.0' ? [] : ['Host: h', 'Connection: close'];
    const socket = connect(port, '127.0.0.1');
    socket.write([`${method} ${PATH}${query} ${version}`, ...host, ...headers, ...length, '', ''].join('\r\n'));
    socket.write(body);
    return text(socket);
  }

  function inPieces(body: string): string {
    const pieces = body.match(/[^]{1,100}/g) ?? [];
    return `${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`;
  }

  function utf16(body: string): Buffer {
    return Buffer.from(body, 'utf16le');
  }

  function declared(body: string): string {
    return body.replace('encoding="utf-8"', 'encoding="utf-16"');
  }

  function lengthOf(head: string): number {
    return Number(/\r\nContent-Length: (\d+)/.exec(head)?.[1]);
  }
});

/** node-soap knows only what the WSDL says. */
describe('node-soap as a client of the sandbox', () => {
  const world = useSandboxes();
  const CARD_ROWS = '06/15/2026,1001,Ada Byron,5.00,VISA,4222222222222220,1230\nbad';

  it.each([
    ['ProcessLinkv2.asmx', { forceSoap12Headers: true }],
    ['ProcessLinkv2.asmx', {}],
    ['processlinkV4.asmx', {}],
    ['ProcessLink.asmx', {}],
  ])('submits a batch and reads its result at %s with %j', async (path, options) => {
    const { url, clock } = await world.start({ batchDelayMs: 60_000 });
    const client = await createClientAsync(`${url}/NetGate/${path}?WSDL`, options);
    const submitted = await call(client, 'ProcessCreditCardBatch', { ...LOGIN, batchFile: toBase64(CARD_ROWS) });
    expect(submitted).toEqual({ AUTHORIZATIONRESULT: 'Batch Processing, Please Wait ....', BATCHID: '1000001' });
    expect(await call(client, 'GetBatchProcessResultFile', { ...LOGIN, batchId: submitted.BATCHID })).toEqual(
      submitted,
    );
    clock.advance(60_000);
    const done = await call(client, 'GetBatchProcessResultFile', { ...LOGIN, batchId: submitted.BATCHID });
    expect(done).toMatchObject({ AUTHORIZATIONRESULT: 'Batch Process Has Been Done', BATCHID: '1000001' });
    expect(Buffer.from(done.BATCHPROCESSRESULTFILE ?? '', 'base64').toString()).toBe(
      '06/15/2026,1001,Ada Byron,5.00,VISA,4***********2220,1230,OK: 678594:\r\nbad,Wrong Format\r\n',
    );
  });

  it.each([
    ['v2', { forceSoap12Headers: true }],
    ['v3', {}],
    ['', {}],
  ])('charges the record that it created, with version "%s" and %j', async (version, options) => {
    const { url } = await world.start({ now: '2017-06-15T10:00:00Z' });
    const records = await createClientAsync(`${url}/NetGate/CustomerLink${version}.asmx?WSDL`, options);
    const charges = await createClientAsync(`${url}/NetGate/ProcessLink${version}.asmx?WSDL`, options);
    const created = await call(records, 'CreateCreditCardCustomerCode', { ...LOGIN, ...CARD_RECORD });
    expect(created).toEqual({ AUTHORIZATIONRESULT: 'OK', CUSTOMERCODE: 'A10000001' });
    const byCode = { ...LOGIN, customerCode: created.CUSTOMERCODE, total: '5.00' };
    // This client trims values.
    expect(await call(charges, 'ProcessCreditCardWithCustomerCode', byCode)).toMatchObject({
      AUTHORIZATIONRESULT: 'OK: 678594:',
      CUSTOMERCODE: 'A10000001',
      TRANSACTIONID: 'A6000001',
    });
  });

  it.each([{ forceSoap12Headers: true }, {}])('reads a fault as one with %j', async (options) => {
    const { url } = await world.start();
    const client = await createClientAsync(`${url}/NetGate/ProcessLinkv2.asmx?WSDL`, options);
    const failed = call(client, 'ProcessCreditCardBatch', { ...LOGIN, batchFile: 'QUI*' });
    await expect(failed).rejects.toThrow('Server was unable to read request.');
  });

  async function call(client: Client, operation: string, fields: object): Promise<Record<string, string>> {
    const [answer] = await client[`${operation}Async`](fields);
    const [result] = Object.values<{ IATSRESPONSE: Record<string, Record<string, string>> }>(answer);
    const payload = result?.IATSRESPONSE['BATCHPROCESSRESULT'] ?? result?.IATSRESPONSE['PROCESSRESULT'];
    if (!payload) throw new Error('no payload in the answer');
    return payload;
  }
});
