import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  announceTooLittle,
  announceTooMuch,
  breakChunk,
  cutAndClose,
  cutAndReset,
  cutChunks,
  cutDocument,
  cutWithoutLength,
  delay,
  drip,
  finish,
  hang,
  reset,
  sendHeadOnly,
  sendWhole,
} from '../../../src/sandbox/faults/acts/cut-answers.ts';
import type { Step } from '../../../src/sandbox/faults/play-steps.ts';
import type { Reply } from '../../../src/sandbox/reply.ts';
import { bodyOf, CALL, CHARGE, doneBatch, outcomeOf } from '../support/make-context.ts';
import {
  answerEarly,
  changeContentType,
  changeStatus,
  compress,
  informFirst,
  redirect,
  sendEmpty,
  sendJson,
  sendPage,
  speakAnotherProtocol,
  switchProtocols,
} from '../../../src/sandbox/faults/acts/http-answers.ts';
import * as acts from '../../../src/sandbox/faults/acts/result-files.ts';
import {
  changeText,
  emptyResult,
  nameAnotherOperation,
  repeatBatchId,
  sayTwoThings,
  sendFailure,
  sendFault,
  sendFaultOfOtherVersion,
  sendFaultWithSuccess,
} from '../../../src/sandbox/faults/acts/soap-answers.ts';
import { answerReply, ENVELOPE_NAMESPACES } from '../../../src/sandbox/soap/write-envelope.ts';
import { readXml } from '../../../src/sandbox/xml/read-xml.ts';

const REPLY: Reply = { status: 200, contentType: 'text/xml', body: '<a>café</a>' };
const LENGTH = Buffer.byteLength('<a>café</a>');

describe('acts on whole answers', () => {
  it.each<[string, readonly Step[], string, string, Step['do']]>([
    ['sendWhole', sendWhole(REPLY), `Content-Length: ${LENGTH}\r\n`, '<a>café</a>', 'finish'],
    ['sendHeadOnly', sendHeadOnly(REPLY), `Content-Length: ${LENGTH}\r\n`, '', 'hang'],
    ['cutAndClose', cutAndClose(REPLY), `Content-Length: ${LENGTH}\r\n`, '<a>caf', 'finish'],
    ['cutAndReset', cutAndReset(REPLY), `Content-Length: ${LENGTH}\r\n`, '<a>caf', 'reset'],
    ['cutWithoutLength', cutWithoutLength(REPLY), 'Connection: close\r\n\r\n', '<a>caf', 'finish'],
    ['cutDocument', cutDocument(REPLY), 'Content-Length: 6\r\n', '<a>caf', 'finish'],
    ['announceTooMuch', announceTooMuch(REPLY), `Content-Length: ${LENGTH + 100}\r\n`, '<a>café</a>', 'finish'],
    ['announceTooLittle', announceTooLittle(REPLY), 'Content-Length: 0\r\n', '<a>café</a>', 'finish'],
    ['cutChunks', cutChunks(REPLY), 'Transfer-Encoding: chunked\r\n', 'c\r\n<a>café</a>\r\n', 'finish'],
    [
      'breakChunk',
      breakChunk(REPLY),
      'Transfer-Encoding: chunked\r\n',
      'c\r\n<a>café</a>\r\nnot a length\r\nmore\r\n',
      'finish',
    ],
    ['drip', drip(REPLY, CALL), `Content-Length: ${LENGTH}\r\n`, '<a>café</a>', 'finish'],
    ['delay', delay(REPLY, CALL), `Content-Length: ${LENGTH}\r\n`, '<a>café</a>', 'finish'],
  ])('%s', (_name, steps, headers, body, end) => {
    expect(outcomeOf(steps).text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(outcomeOf(steps).text).toContain(headers);
    expect(bodyOf(steps)).toBe(body);
    expect(outcomeOf(steps).end).toBe(end);
  });

  it('says no length where it cuts without one or sends chunks', () => {
    for (const steps of [cutWithoutLength(REPLY), cutChunks(REPLY), breakChunk(REPLY)]) {
      expect(outcomeOf(steps).text).not.toContain('Content-Length');
    }
  });

  it('waits as long as the call says', () => {
    expect(delay(REPLY, CALL)[0]).toEqual({ do: 'wait', ms: 7 });
    expect(drip(REPLY, CALL)[0]).toMatchObject({ do: 'drip', everyMs: 7 });
  });

  it('ends without a word', () => {
    expect([finish(), reset(), hang()]).toEqual([[{ do: 'finish' }], [{ do: 'reset' }], [{ do: 'hang' }]]);
  });
});

describe('answers of HTTP', () => {
  it('sendPage sends a page with a status and headers', () => {
    const { text, end } = outcomeOf(sendPage(429, 'Too Many Requests', { 'Retry-After': '1' })());
    expect(text).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(text).toContain('\r\nRetry-After: 1\r\n');
    expect(text).toContain('<h1>Too Many Requests</h1>');
    expect(end).toBe('finish');
  });

  it.each([
    ['/NetGate/ProcessLinkv2.asmx', '/NetGate/ProcessLinkv3.asmx'],
    ['/NetGate/ProcessLinkv3.asmx', '/NetGate/ProcessLinkv2.asmx'],
    ['/NetGate/CustomerLink.asmx', '/NetGate/CustomerLinkv3.asmx'],
  ])('redirect leads from %s to %s', (path, target) => {
    const { text } = outcomeOf(redirect(307)({ ...CALL, path }));
    expect(text).toMatch(/^HTTP\/1\.1 307 /);
    expect(text).toContain(`\r\nLocation: ${target}\r\n`);
  });

  it('sendEmpty and sendJson succeed without an answer', () => {
    expect(outcomeOf(sendEmpty(CALL)).text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Content-Length: 0\r\n/);
    expect(outcomeOf(sendEmpty({ ...CALL, version: '1.1' })).text).toContain('Content-Type: text/xml');
    expect(JSON.parse(bodyOf(sendJson()))).toEqual({ status: 'Success' });
  });

  it('changeStatus, changeContentType and informFirst leave the document as it is', () => {
    expect(outcomeOf(changeStatus(500)(CHARGE)).text).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
    expect(outcomeOf(changeContentType(CHARGE)).text).toContain('Content-Type: text/plain\r\n');
    const informed = outcomeOf(informFirst('103 Early Hints')(CHARGE)).text;
    expect(informed).toMatch(/^HTTP\/1\.1 103 Early Hints\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    for (const steps of [changeStatus(500)(CHARGE), changeContentType(CHARGE)]) {
      expect(bodyOf(steps)).toBe(CHARGE.body);
    }
  });

  it('compress says so and can be undone', () => {
    const { text, bytes } = outcomeOf(compress(CHARGE));
    expect(text).toContain('Content-Encoding: gzip\r\n');
    expect(gunzipSync(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)).toString()).toBe(CHARGE.body);
  });

  it('some are no answer at all', () => {
    expect(outcomeOf(speakAnotherProtocol()).text).toMatch(/^220 /);
    expect(outcomeOf(switchProtocols()).text).toMatch(/^HTTP\/1\.1 101 /);
    expect(outcomeOf(answerEarly()).text).toMatch(/^HTTP\/1\.1 503 /);
  });
});

const ACH = [
  'B-1,Ada,Byron,CHECKING,0*********************0001,1.00,Gift,Received',
  'B-2,Ada,Byron,CHECKING,0*********************0009,2.00,Gift,Received',
];
const CARD = ['06/15/2026,K-1,Ada,Byron,1 Road,Troy,NY,12180,5.00,VISA,4***********2220,1230,OK: 678594:'];
const CANADA = ['06/15/2026,K-1,Ada Byron,5.00,VISA,4***********2220,1230,OK: 678594:'];
const CODES = ['C-1,A10000001,5.00,Gift,Received'];
const GARBAGE = ['not,a,row,Wrong Format'];

const { changeRows } = acts;

describe('changes of result files', () => {
  it.each<[string, (reply: Reply) => readonly Step[], readonly string[], readonly string[]]>([
    ['drops the last row', changeRows(acts.dropRow), ACH, ACH.slice(0, 1)],
    ['adds a row', changeRows(acts.addRow), CODES, [...CODES, 'C-19,A10000001,5.00,Gift,Received']],
    ['reverses the rows', changeRows(acts.reverseRows), ACH, ACH.toReversed()],
    ['alters an amount', changeRows(acts.alterAmount), ACH, [ACH[0]?.replace('1.00', '2.00') ?? '', ACH[1] ?? '']],
    ['alters an amount of a card', changeRows(acts.alterAmount), CARD, [CARD[0]?.replace('5.00', '6.00') ?? '']],
    ['alters an amount in Canada', changeRows(acts.alterAmount), CANADA, [CANADA[0]?.replace('5.00', '6.00') ?? '']],
    ['alters an amount by code', changeRows(acts.alterAmount), CODES, ['C-1,A10000001,6.00,Gift,Received']],
    ['alters an invoice', changeRows(acts.alterInvoice), CARD, [CARD[0]?.replace('K-1', 'K-19') ?? '']],
    [
      'alters the first that can be',
      changeRows(acts.alterInvoice),
      [...GARBAGE, ...CODES],
      [...GARBAGE, 'C-19,A10000001,5.00,Gift,Received'],
    ],
    ['alters a number', changeRows(acts.alterLastFour), CARD, [CARD[0]?.replace('2220', '2221') ?? '']],
    ['alters a number from 9', changeRows(acts.alterLastFour), ACH.slice(1), [ACH[1]?.replace('0009', '0000') ?? '']],
    ['leaves codes as they are', changeRows(acts.alterLastFour), CODES, CODES],
    ['quotes cells', changeRows(acts.quoteCells), CODES, ['"C-1","A10000001","5.00","Gift","Received"']],
    [
      'times out the last row',
      changeRows(acts.timeOutLastRow),
      ACH,
      [ACH[0] ?? '', ACH[1]?.replace('Received', 'TIMEOUT') ?? ''],
    ],
  ])('%s', (_name, act, sent, expected) => {
    expect(fileOf(act(doneBatch(linesOf(sent))))).toBe(linesOf(expected));
  });

  it('leaves bytes that are no UTF-8 as they are', () => {
    const file = linesOf(['C-1,A1,5.00,caf\xe9,Received', ...CODES]);
    expect(fileOf(changeRows(acts.dropRow)(doneBatch(file)))).toBe('C-1,A1,5.00,caf\xe9,Received\r\n');
  });

  it('ends rows with line feeds', () => {
    expect(fileOf(acts.endWithLineFeeds(doneBatch(linesOf(ACH))))).toBe(`${ACH.join('\n')}\n`);
  });

  it('damages the encoding', () => {
    const done = doneBatch(linesOf(ACH));
    expect(base64Of(acts.damageBase64(done))).toMatch(/^[\w+/=]+![\w+/=]+$/);
    expect(Buffer.from(fileOf(acts.encodeTwice(done)), 'base64').toString()).toBe(linesOf(ACH));
    expect(base64Of(acts.emptyFile(done))).toBe('');
  });

  it('says that a batch is still running, as the service says it', () => {
    const body = bodyOf(acts.sayStillRunning(doneBatch('a')));
    expect(body).toContain(
      '>Batch Processing, Please Wait ....</AUTHORIZATIONRESULT><BATCHID>1000001</BATCHID></BATCH',
    );
    expect(body).not.toContain('FILE');
  });
});

describe('holdsResultFile', () => {
  it('tells a result file from other answers', () => {
    expect(acts.holdsResultFile(doneBatch('a'))).toBe(true);
    expect(acts.holdsResultFile(CHARGE)).toBe(false);
    expect(acts.holdsResultFile({ ...CHARGE, body: Buffer.from('x') })).toBe(false);
  });
});

function linesOf(rows: readonly string[]): string {
  return rows.map((row) => `${row}\r\n`).join('');
}

function base64Of(steps: readonly Step[]): string {
  return /<BATCHPROCESSRESULTFILE>([^<]*)</.exec(bodyOf(steps))?.[1] ?? 'no file';
}

function fileOf(steps: readonly Step[]): string {
  return Buffer.from(base64Of(steps), 'base64').toString('latin1');
}

const LIST = answerReply('1.2', 'GetCustomerListByCreationTimeXML', { payload: '<CUSTOMERS />' });

describe('answers in SOAP', () => {
  it.each([
    ['client', '1.1', 'soap:Client'],
    ['client', '1.2', 'soap:Sender'],
    ['server', '1.1', 'soap:Server'],
    ['server', '1.2', 'soap:Receiver'],
  ] as const)('sendFault blames the %s in SOAP %s', (blame, version, code) => {
    const steps = sendFault(blame)({ ...CALL, version });
    expect(outcomeOf(steps).text).toMatch(/^HTTP\/1\.1 500 /);
    expect(bodyOf(steps)).toContain(code);
    expect(bodyOf(steps)).toContain(ENVELOPE_NAMESPACES[version]);
  });

  it('sends faults where they do not belong', () => {
    expect(bodyOf(sendFaultOfOtherVersion(CALL))).toContain(ENVELOPE_NAMESPACES['1.1']);
    expect(bodyOf(sendFaultOfOtherVersion({ ...CALL, version: '1.1' }))).toContain(ENVELOPE_NAMESPACES['1.2']);
    expect(outcomeOf(sendFaultWithSuccess(CALL)).text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*soap:Fault/);
  });

  it('sendFailure answers the operation with STATUS Failure', () => {
    const body = bodyOf(sendFailure('Server Error')(CALL));
    expect(body).toContain('<ProcessCreditCardResult><IATSRESPONSE xmlns=""><STATUS>Failure</STATUS>');
    expect(body).toContain('<ERRORS>Server Error</ERRORS><PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>');
  });

  it('changeText changes nothing but the text that decides', () => {
    const body = bodyOf(changeText(' TIMEOUT\n')(CHARGE));
    expect(body).toBe(String(CHARGE.body).replace(' OK: 678594:\n', ' TIMEOUT\n'));
    expect(bodyOf(changeText('x')(doneBatch('a')))).toContain('<AUTHORIZATIONRESULT>x</AUTHORIZATIONRESULT><BATCHID>');
  });

  it('changeText takes the place of a payload that has no such text', () => {
    const payload = '<PROCESSRESULT><AUTHORIZATIONRESULT>x &amp; y</AUTHORIZATIONRESULT></PROCESSRESULT>';
    expect(bodyOf(changeText('x & y')(LIST))).toBe(String(LIST.body).replace('<CUSTOMERS />', payload));
  });

  it('sayTwoThings puts a contradiction beside the result', () => {
    const body = bodyOf(sayTwoThings(CHARGE));
    expect(body.match(/<PROCESSRESULT>/g)).toHaveLength(2);
    expect(body).toMatch(/> OK: 678594:\n<.*>REJECT: 15<\/AUTHORIZATIONRESULT>/s);
    expect(readXml(body)).toHaveProperty('name', 'Envelope');
    expect(bodyOf(sayTwoThings(LIST))).toContain('<CUSTOMERS /><CUSTOMERS />');
  });

  it.each([
    ['ProcessCreditCard', 'GetCustomerCodeDetail'],
    ['GetCustomerCodeDetail', 'DeleteCustomerCode'],
  ])('nameAnotherOperation renames %s to %s and nothing else', (element, other) => {
    const reply = answerReply('1.2', element, { payload: '<PROCESSRESULT />' });
    const expected = answerReply('1.2', other, { payload: '<PROCESSRESULT />' });
    expect(bodyOf(nameAnotherOperation(reply, { ...CALL, element }))).toBe(expected.body);
  });

  it('emptyResult leaves the Result element only', () => {
    expect(bodyOf(emptyResult(CHARGE, CALL))).toContain(
      'NetGate/"><ProcessCreditCardResult /></ProcessCreditCardResponse>',
    );
  });

  it('repeatBatchId gives the id of the batch before', () => {
    const body = bodyOf(repeatBatchId(doneBatch('a'), { ...CALL, earlierBatchId: '77' }));
    expect(body).toBe(String(doneBatch('a').body).replace('1000001', '77'));
  });
});
