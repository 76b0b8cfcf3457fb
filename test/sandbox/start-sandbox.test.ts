import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import {
  fetchResult,
  goldenAnswer,
  LOGIN,
  PATH,
  post,
  soapRequest,
  STYLES,
  submitBatch,
  toBase64,
} from './support/soap-request.ts';
import { ACCOUNT, kill, rowsOf, startChild, useSandboxes } from './support/sandbox-world.ts';
import { callSandbox, CUSTOMER_PATH, valueOf } from './support/make-context.ts';
import { readScript } from '../../src/sandbox/calls/play-script.ts';
import * as exported from '../../src/sandbox/index.ts';

const world = useSandboxes();
const BANK_ROW = '1001,Ada,Byron,CHECKING,02100002100000000000000001,5.00,Gift';
const BATCH = 'ProcessACHEFTChargeBatch';
const RESULT = 'GetBatchProcessResultFile';

describe('startSandbox', () => {
  it.each(STYLES)('takes a batch, lets it run and hands out its result in %s', async (style) => {
    const { url, clock } = await world.start({ batchDelayMs: 60_000 });
    const ask = (element: string, fields: object) =>
      post(url + PATH, soapRequest(element, { ...LOGIN, ...fields }, style));
    const submitted = await ask(BATCH, { batchFile: toBase64(BANK_ROW) });
    const running =
      '<STATUS>Success</STATUS><ERRORS /><BATCHPROCESSRESULT>' +
      '<AUTHORIZATIONRESULT>Batch Processing, Please Wait ....</AUTHORIZATIONRESULT><BATCHID>1000001</BATCHID></BATCHPROCESSRESULT>';
    expect(submitted.status).toBe(200);
    expect(submitted.text).toBe(goldenAnswer(BATCH, running, style));
    expect((await ask(RESULT, { batchId: '1000001' })).text).toBe(goldenAnswer(RESULT, running, style));
    clock.advance(60_000);
    const done =
      '<STATUS>Success</STATUS><ERRORS /><BATCHPROCESSRESULT>' +
      '<AUTHORIZATIONRESULT>Batch Process Has Been Done</AUTHORIZATIONRESULT><BATCHID>1000001</BATCHID>' +
      '<BATCHPROCESSRESULTFILE>MTAwMSxBZGEsQnlyb24sQ0hFQ0tJTkcsMCoqKioqKioqKioqKioqKioqKioqKjAwMDEsNS4wMCxHaWZ0LFJlY2VpdmVkDQo=' +
      '</BATCHPROCESSRESULTFILE></BATCHPROCESSRESULT>';
    expect((await ask(RESULT, { batchId: '1000001' })).text).toBe(goldenAnswer(RESULT, done, style));
  });

  it('listens on this machine only, at a free port', async () => {
    const sandbox = await world.start();
    expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}`);
    expect(sandbox.port).toBeGreaterThan(0);
  });

  it('starts its clock where it is told and lets it run', async () => {
    const sandbox = await world.start({ now: '2030-01-01T00:00:00Z', batchDelayMs: 0 });
    const batchId = await submitBatch(sandbox.url, BATCH, BANK_ROW);
    expect(sandbox.books()[0]?.at).toMatch(/^2030-01-01T00:0/);
    expect(await fetchResult(sandbox.url, batchId)).toMatch(/Received\r\n$/);
  });

  it('answers the identical batch with Duplicated on every row, also after a restart', async () => {
    const dataDir = await world.folder();
    const first = await world.start({ dataDir, batchDelayMs: 0 });
    const file = `${BANK_ROW}\n${BANK_ROW.replace('1001', '1002')}`;
    await submitBatch(first.url, BATCH, file);
    await first.close();
    const second = await world.start({ dataDir, batchDelayMs: 0 });
    const batchId = await submitBatch(second.url, BATCH, file);
    expect(batchId).toBe('1000002');
    expect((await fetchResult(second.url, batchId)).match(/,Duplicated\r\n/g)).toHaveLength(2);
    const files = await readdir(dataDir);
    expect(files.filter((name) => !name.endsWith('.lock'))).toEqual(['books.jsonl', 'secret']);
  });

  it('gives no id twice in two runs whose books are lost, and the same ones where it is told', async () => {
    const ids: string[] = [];
    const now = '2026-06-15T09:00:00Z';
    for (let run = 0; run < 2; run += 1) {
      const sandbox = await world.start({ firstBatchId: 'time', now });
      for (let round = 0; round < 2; round += 1) {
        ids.push(await submitBatch(sandbox.url, BATCH, BANK_ROW));
        const card = { ccNum: '4222222222222220', ccExp: '12/49', total: '5.00' };
        const made = await callSandbox(sandbox, 'CreateCustomerCodeAndProcessCreditCard', card);
        ids.push(valueOf(made, 'TRANSACTIONID').trim());
        const report = { date: '2026-06-15T09:00:00Z' };
        const path = '/NetGate/ReportLinkv2.asmx';
        const listed = await callSandbox(sandbox, 'GetACHEFTApprovedSpecificDateXML', report, { path });
        ids.push(valueOf(listed, 'TNID'));
        await sandbox.reset();
      }
      await sandbox.close();
    }
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^\d{12}$|^A[0-9A-F]{12,13}$/);
    const { url } = await world.start({ firstBatchId: 7_000_000 });
    expect(await submitBatch(url, BATCH, BANK_ROW)).toBe('7000000');
  });

  it('charges a row once when the same batch arrives many times at once', async () => {
    const sandbox = await world.start();
    await Promise.all(Array.from({ length: 10 }, () => submitBatch(sandbox.url, BATCH, BANK_ROW)));
    expect(sandbox.books().filter(({ charged }) => charged)).toHaveLength(1);
    expect(sandbox.books()).toHaveLength(10);
  });

  it('gives the books over HTTP as they are', async () => {
    const sandbox = await world.start();
    await submitBatch(sandbox.url, BATCH, `${BANK_ROW}\nbad`);
    const text = await (await fetch(`${sandbox.url}/sandbox/books`)).text();
    expect(text).toBe(
      sandbox
        .books()
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    );
  });

  it('knows the accounts that it is given and no others', async () => {
    const login = { agentCode: 'A1', password: 'p' };
    const { url } = await world.start({ accounts: [login] });
    expect(await submitBatch(url, BATCH, BANK_ROW, login)).toBe('1000001');
    const { text } = await post(url + PATH, soapRequest(BATCH, { ...LOGIN, batchFile: toBase64(BANK_ROW) }));
    expect(text).toContain('REJECT: 1<');
  });

  it('takes a body up to the limit; beyond it says 413 and books nothing', async () => {
    const request = soapRequest(BATCH, { ...LOGIN, batchFile: toBase64(BANK_ROW) });
    const sandbox = await world.start({ maxBodyBytes: Buffer.byteLength(request.body) });
    expect((await post(sandbox.url + PATH, { ...request, body: `${request.body} ` })).status).toBe(413);
    expect(sandbox.books()).toEqual([]);
    expect((await post(sandbox.url + PATH, request)).status).toBe(200);
  });

  it('books nothing of a request that breaks off', async () => {
    const sandbox = await world.start();
    const request = soapRequest(BATCH, { ...LOGIN, batchFile: toBase64(BANK_ROW) });
    const socket = connect(sandbox.port, '127.0.0.1');
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: h\r\nContent-Length: ${request.body.length + 1}\r\n\r\n${request.body}`,
    );
    socket.end();
    socket.resume();
    await once(socket, 'close');
    expect(sandbox.books()).toEqual([]);
    expect(await submitBatch(sandbox.url, BATCH, BANK_ROW)).toBe('1000001');
  });

  it('answers a request with a query that is odd', async () => {
    const { url } = await world.start();
    expect((await fetch(`${url}/NetGate/ProcessLinkv2.asmx?a?WSDL`)).headers.get('content-type')).toContain(
      'text/html',
    );
    expect((await fetch(`${url}/nothing?`)).status).toBe(404);
  });

  it('says which address cannot be listened on, and leaves the books to others', async () => {
    const occupant = createServer();
    occupant.listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    await expect(startSandbox({ port })).rejects.toThrow(`Cannot listen for the sandbox on "127.0.0.1:${port}"`);
    occupant.close();
  });

  it('goes back to its start: books, customer records, duplicates, faults and clock', async () => {
    const dataDir = await world.folder();
    const now = '2026-06-15T09:00:00Z';
    const sandbox = await world.start({ dataDir, now, batchDelayMs: 0 });
    await submitBatch(sandbox.url, BATCH, BANK_ROW);
    const record = { customerCode: 'TM1', accountNum: '02100002100000000000000001' };
    const customers = '/NetGate/CustomerLinkv2.asmx';
    await post(sandbox.url + customers, soapRequest('CreateACHEFTCustomerCode', { ...LOGIN, ...record }));
    sandbox.faults.plan({ kind: 'http-503', times: 'always' });
    sandbox.clock.advance(86_400_000 * 365);
    await Promise.all([sandbox.reset(), sandbox.reset()]);
    expect(sandbox.books()).toEqual([]);
    expect(sandbox.faults.list()).toEqual([]);
    expect(sandbox.clock.now().toISOString()).toMatch(/^2026-06-15T09:0/);
    expect(await readFile(join(dataDir, 'books.jsonl'), 'utf8')).toBe('');
    expect(await submitBatch(sandbox.url, BATCH, BANK_ROW)).toBe('1000001');
    expect(await fetchResult(sandbox.url, '1000001')).toMatch(/Received\r\n$/);
    const detail = soapRequest('GetCustomerCodeDetail', { ...LOGIN, customerCode: 'TM1' });
    expect((await post(sandbox.url + customers, detail)).text).toContain("The customer code doesn't exist!");
    await sandbox.close();
    expect((await world.start({ dataDir })).books()).toHaveLength(1);
  });

  it('works on after a reset that failed', async () => {
    const dataDir = await world.folder();
    const sandbox = await world.start({ dataDir });
    await submitBatch(sandbox.url, BATCH, BANK_ROW);
    const path = join(dataDir, 'books.jsonl');
    const kept = await readFile(path);
    await rename(path, `${path}.away`);
    await expect(sandbox.reset()).rejects.toThrow('ENOENT');
    await writeFile(path, kept);
    await sandbox.reset();
    expect(await submitBatch(sandbox.url, BATCH, BANK_ROW)).toBe('1000001');
  });

  it('goes back to the present when it was given no time', async () => {
    const sandbox = await world.start();
    sandbox.clock.set('2030-01-01T00:00:00Z');
    await sandbox.reset();
    expect(sandbox.clock.now().getTime()).toBeLessThan(Date.parse('2030-01-01T00:00:00Z'));
  });

  it('refuses connections on demand and takes them again at the same address', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'connection-refused', times: 'always' });
    await expect(fetch(sandbox.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await sandbox.faults.clear();
    expect((await fetch(sandbox.url)).status).toBe(200);
    sandbox.faults.plan({ kind: 'connection-refused', delayMs: 60_000 });
    await sandbox.close();
  });

  it('no longer answers once it is closed, though connections were kept alive', async () => {
    const sandbox = await startSandbox();
    await fetch(sandbox.url).then((response) => response.text());
    await sandbox.close();
    await expect(fetch(sandbox.url)).rejects.toThrow();
  });
});

/** sandbox.soak.test.ts kills more often. */
describe('a sandbox killed with SIGKILL', () => {
  it('has booked every batch whose id it gave away, and answers for it after a restart', async () => {
    const dataDir = await world.folder();
    const { url, child } = await startChild(dataDir);
    const batchId = await submitBatch(url, 'ProcessACHEFTChargeBatch', rowsOf('A', 2));
    await kill(child);
    const sandbox = await world.start({ dataDir });
    expect(sandbox.books().map((row) => ({ batchId: row.batchId, invoice: row.invoice }))).toEqual([
      { batchId, invoice: 'A-0' },
      { batchId, invoice: 'A-1' },
    ]);
    sandbox.clock.advance(60_000);
    expect(await fetchResult(sandbox.url, batchId)).toBe(
      'A-0,Ada,Byron,CHECKING,0*********************0001,5.00,Gift,Received\r\n' +
        'A-1,Ada,Byron,CHECKING,0*********************0001,5.00,Gift,Received\r\n',
    );
    const again = await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', rowsOf('A', 2));
    expect(Number(again)).toBe(Number(batchId) + 1);
    expect(sandbox.books().map(({ outcome }) => outcome)).toEqual([
      'accepted_pending',
      'accepted_pending',
      'duplicate',
      'duplicate',
    ]);
    expect(await readFile(join(dataDir, 'books.jsonl'), 'utf8')).not.toContain(ACCOUNT);
  });

  it('has kept every charge and record that it answered for, and no number in the clear', async () => {
    const dataDir = await world.folder();
    const { url, child } = await startChild(dataDir);
    const card = { ccNum: '4222222222222220', ccExp: '12/49', total: '5.00' };
    const charged = await callSandbox({ url }, 'CreateCustomerCodeAndProcessCreditCard', card);
    const bank = { accountNum: ACCOUNT, customerCode: 'TM1001' };
    await callSandbox({ url }, 'CreateACHEFTCustomerCode', bank, { path: CUSTOMER_PATH });
    const city = { customerCode: 'TM1001', city: 'Troy' };
    await callSandbox({ url }, 'UpdateACHEFTCustomerCode', city, { path: CUSTOMER_PATH });
    const gone = { customerCode: 'A10000001' };
    await callSandbox({ url }, 'DeleteCustomerCode', gone, { path: CUSTOMER_PATH });
    await kill(child);
    const sandbox = await world.start({ dataDir });
    const detail = await callSandbox(sandbox, 'GetCustomerCodeDetail', bank, { path: CUSTOMER_PATH });
    expect(valueOf(detail, 'CTY')).toBe('Troy');
    expect(valueOf(detail, 'ACN')).toBe('0*********************0001');
    const byCode = (customerCode: string) => ({ customerCode, total: '5.00' });
    const paid = await callSandbox(sandbox, 'ProcessACHEFTWithCustomerCode', byCode('TM1001'));
    expect(valueOf(paid, 'TRANSACTIONID')).toBe('A6000002\n');
    const refused = await callSandbox(sandbox, 'ProcessCreditCardWithCustomerCode', byCode('A10000001'));
    expect(valueOf(refused, 'AUTHORIZATIONRESULT')).toBe(' REJECT: 3\n');
    const next = await callSandbox(sandbox, 'CreateCustomerCodeAndProcessCreditCard', card);
    expect(valueOf(next, 'CUSTOMERCODE')).toBe('A10000002');
    const transactionId = valueOf(charged, 'TRANSACTIONID');
    const refund = await callSandbox(sandbox, 'ProcessCreditCardRefundWithTransactionId', {
      transactionId,
      total: '-5',
    });
    expect(valueOf(refund, 'AUTHORIZATIONRESULT')).toBe(' OK: 678594:\n');
    const file = await readFile(join(dataDir, 'books.jsonl'), 'utf8');
    expect(file).toContain('"lastFour":"2220"');
    for (const number of [ACCOUNT, card.ccNum]) expect(file).not.toContain(number);
  });
});

// test/gateway/index.soak.test.ts tests the whole package, compiled and imported by its name.
describe('paydrop/sandbox', () => {
  it('offers the sandbox, a reader of recorded calls, and nothing else to run', () => {
    expect({ ...exported }).toEqual({ startSandbox, readScript });
  });
});
