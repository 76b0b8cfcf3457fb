import { describe, expect, it } from 'vitest';
import type { HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import {
  answerCall,
  cutLongTexts,
  findLongText,
  findOperation,
  refuseMedia,
  unknownOperationText,
} from '../../../src/sandbox/soap/answer-call.ts';
import { openLog } from '../../../src/kernel/log.ts';
import { makeContext } from '../support/make-context.ts';
import {
  type Fields,
  goldenAnswer,
  LOGIN,
  type SoapRequest,
  soapRequest,
  STYLES,
  toBase64,
} from '../support/soap-request.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import type { SoapCall } from '../../../src/sandbox/soap/read-envelope.ts';

const RESULT = 'GetBatchProcessResultFile';
const NULL_FAILURE = failureOf('Object reference not set to an instance of an object.');
const BAD_LOGIN = successOf('REJECT: 1', '<BATCHID />');
const RUNNING = successOf('Batch Processing, Please Wait ....', '<BATCHID>1000001</BATCHID>');
const UNKNOWN = successOf('Error : Invalid Batch ID.', '<BATCHID>7</BATCHID>');

function successOf(text: string, id: string): string {
  const payload = `<BATCHPROCESSRESULT><AUTHORIZATIONRESULT>${text}</AUTHORIZATIONRESULT>${id}</BATCHPROCESSRESULT>`;
  return `<STATUS>Success</STATUS><ERRORS />${payload}`;
}

function failureOf(error: string): string {
  const payload = '<BATCHPROCESSRESULT><AUTHORIZATIONRESULT /></BATCHPROCESSRESULT>';
  return `<STATUS>Failure</STATUS><ERRORS>${error}</ERRORS>${payload}`;
}

describe('answerCall', () => {
  it.each(STYLES)('answers %s in its own version', async (style) => {
    const reply = await answerOf(soapRequest(RESULT, { ...LOGIN, batchId: '7' }, style));
    expect(reply.body).toBe(goldenAnswer(RESULT, UNKNOWN, style));
  });

  it.each<[string, string, Fields, string]>([
    ['needs the batch file', 'ProcessCreditCardBatch', LOGIN, NULL_FAILURE],
    ['needs the batch id', RESULT, LOGIN, NULL_FAILURE],
    ['looks for what is missing before the login', RESULT, {}, NULL_FAILURE],
    ['takes a file of garbage', 'ProcessCreditCardBatch', { ...LOGIN, batchFile: 'eA==' }, RUNNING],
    ['refuses a wrong password', RESULT, { ...LOGIN, password: 'test88', batchId: '7' }, BAD_LOGIN],
    ['refuses a wrong agent code', RESULT, { ...LOGIN, agentCode: 'TEST', batchId: '7' }, BAD_LOGIN],
    ['refuses no login', RESULT, { batchId: '7' }, BAD_LOGIN],
    ['passes over unknown elements', RESULT, { nonsense: '1', ...LOGIN, cvv2: '123', batchId: '7' }, UNKNOWN],
    ['takes any order', RESULT, { batchId: '7', password: 'TEST88', agentCode: 'TEST88' }, UNKNOWN],
    ['takes an address of the payer', RESULT, { ...LOGIN, customerIPAddress: '', batchId: '7' }, UNKNOWN],
  ])('%s', async (_, element, fields, inner) => {
    expect((await answerOf(soapRequest(element, fields))).body).toBe(goldenAnswer(element, inner));
  });

  it('refuses a text that is too long, after the login', async () => {
    const long = { batchId: '7'.repeat(41) };
    const error = 'Bad request. batchId may have 40 characters at most (--cut-long-values).';
    const failure = failureOf(error);
    expect((await answerOf(soapRequest(RESULT, { ...LOGIN, ...long }))).body).toBe(goldenAnswer(RESULT, failure));
    expect((await answerOf(soapRequest(RESULT, long))).body).toBe(goldenAnswer(RESULT, BAD_LOGIN));
    expect((await answerOf(soapRequest(RESULT, { ...long, agentCode: 'A'.repeat(9999) }))).body).toBe(
      goldenAnswer(RESULT, BAD_LOGIN),
    );
  });

  it('cuts a text that is too long when it is told to', async () => {
    const request = soapRequest(RESULT, { ...LOGIN, batchId: '7'.repeat(41) });
    const { body } = await answerOf(request, { cutsLongValues: true });
    expect(body).toBe(goldenAnswer(RESULT, UNKNOWN.replace('>7<', `>${'7'.repeat(40)}<`)));
  });

  it('does not look into a body that is no SOAP message by its type', async () => {
    const { body } = soapRequest(RESULT, { ...LOGIN, batchId: '7' });
    expect((await answerOf({ headers: { 'Content-Type': 'application/json' }, body })).status).toBe(415);
  });

  it('takes a nil element as absent', async () => {
    const request = soapRequest(RESULT, { ...LOGIN, batchId: '7' });
    const body = request.body.replace('<ns1:batchId>', '<ns1:batchId xmlns:i="x" i:nil="true">');
    expect((await answerOf({ ...request, body })).body).toBe(goldenAnswer(RESULT, NULL_FAILURE));
  });

  it('takes elements of the namespace that other clients use', async () => {
    const request = soapRequest(RESULT, { ...LOGIN, batchId: '7' }, 'soap 1.2 without action');
    const body = request.body.replace('https://www.iats', 'https://www.uk.iats');
    expect((await answerOf({ ...request, body })).body).toBe(goldenAnswer(RESULT, UNKNOWN));
  });

  it('answers the names of the first version with the names of the first version', async () => {
    const reply = await answerOf(soapRequest(`${RESULT}V1`, { ...LOGIN, batchId: '7' }, 'soap 1.1'));
    expect(reply.body).toBe(goldenAnswer(`${RESULT}V1`, UNKNOWN, 'soap 1.1'));
  });

  it.each([
    ['NA', 'ProcessACHEFTChargeBatch', false],
    ['UK', 'ProcessACHEFTChargeBatch', true],
    ['UK', 'ProcessACHEFTRefundBatch', true],
    ['UK', 'ProcessCreditCardBatch', false],
  ] as const)('on the %s server %s is restricted: %s', async (server, element, isRestricted) => {
    const { context } = await makeContext({ accounts: [{ agentCode: 'TEST88', password: 'TEST88', server }] });
    const { body } = await answer(context, soapRequest(element, { ...LOGIN, batchFile: toBase64('a,b') }));
    const failure = failureOf('Service cannot be used on this server.');
    expect(body).toBe(goldenAnswer(element, isRestricted ? failure : RUNNING));
    expect(context.books.rows()).toHaveLength(isRestricted ? 0 : 1);
  });

  it.each<[string, SoapRequest, string]>([
    [
      'an operation of the other service',
      soapRequest('DeleteCustomerCode', LOGIN),
      'Server did not recognize the value of HTTP Header SOAPAction: https://www.iatspayments.com/NetGate/DeleteCustomerCode.',
    ],
    [
      'an action that contradicts the body',
      { ...soapRequest(RESULT, LOGIN), headers: soapRequest('ProcessCreditCardBatch', {}).headers },
      'Server did not recognize the value of HTTP Header SOAPAction: https://www.iatspayments.com/NetGate/ProcessCreditCardBatch.',
    ],
    [
      'base64 that is none',
      soapRequest('ProcessCreditCardBatch', { ...LOGIN, batchFile: 'QUI*' }),
      'Server was unable to read request. ---&gt; There is an error in XML document. ---&gt; Invalid length for a Base-64 char array or string.',
    ],
    [
      'a raw ampersand',
      soapRequest(RESULT, { ...LOGIN, batchId: 'a & b' }),
      'Invalid character or reference in character data.',
    ],
  ])('answers %s with a fault', async (_, request, text) => {
    const reply = await answerOf(request);
    expect(reply.status).toBe(500);
    expect(reply.body).toContain('<soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code>');
    expect(reply.body).toContain(`${text}</soap:Text>`);
  });

  it('says no more than that it failed when the books cannot be written, and logs why', async () => {
    const lines: string[] = [];
    const { context } = await makeContext({
      log: openLog({ destination: { write: (line: string) => lines.push(line) } }),
    });
    const broken: HandlerContext = {
      ...context,
      books: { ...context.books, takeBatch: () => Promise.reject(new Error('disk gone')) },
    };
    const request = soapRequest('ProcessCreditCardBatch', { ...LOGIN, batchFile: toBase64('a,b') });
    const reply = await answer(broken, request);
    expect(reply.status).toBe(500);
    expect(reply.body).toContain('soap:Receiver');
    expect(reply.body).toContain('<soap:Text xml:lang="en">Server was unable to process request.</soap:Text>');
    expect(JSON.parse(lines.join(''))).toMatchObject({ operation: 'processCreditCardBatch', reason: 'disk gone' });
  });
});

async function answerOf(request: SoapRequest, settings: Partial<HandlerContext> = {}) {
  return answer((await makeContext(settings)).context, request);
}

function answer(context: HandlerContext, { headers, body }: SoapRequest) {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const call = { method: 'POST', path: '/', query: new URLSearchParams(), headers: lower, body: Buffer.from(body) };
  return answerCall({ service: 'ProcessLink', isFirstVersion: false }, call, context);
}

describe('refuseMedia', () => {
  it.each([
    ['text/xml', undefined],
    ['text/xml; charset=utf-8', undefined],
    ['TEXT/XML;charset="UTF-8"', 'identity'],
    ['application/soap+xml; charset=utf-8; action="x"', ''],
    [' Application/Soap+XML ;charset=utf-8', undefined],
  ])('lets %j with the encoding %j pass', (type, encoding) => {
    expect(refuse(type, encoding)).toBeUndefined();
  });

  it.each([
    [undefined, undefined, 'Send text/xml'],
    ['', undefined, 'Send text/xml'],
    ['application/xml', undefined, 'Send text/xml'],
    ['application/json', undefined, 'Send text/xml'],
    ['application/x-www-form-urlencoded', undefined, 'Send text/xml'],
    ['multipart/related; type="text/xml"', undefined, 'Send text/xml'],
    ['text/xmlish', undefined, 'Send text/xml'],
    ['text/xml', 'gzip', 'Send the body as it is'],
    ['text/xml', 'identity, deflate', 'Send the body as it is'],
  ])('refuses %j with the encoding %j', (type, encoding, advice) => {
    const reply = refuse(type, encoding);
    expect(reply?.status).toBe(415);
    expect(reply?.body).toContain(advice);
  });
});

function refuse(type: string | undefined, encoding: string | undefined) {
  return refuseMedia({
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  });
}

const SERVED: OperationName[] = ['processCreditCardBatch', 'getBatchProcessResultFile'];

describe('findOperation', () => {
  it.each([
    ['ProcessCreditCardBatch', undefined, 'processCreditCardBatch'],
    ['ProcessCreditCardBatch', 'https://www.iatspayments.com/NetGate/ProcessCreditCardBatch', 'processCreditCardBatch'],
    ['ProcessCreditCardBatch', 'urn:x#ProcessCreditCardBatch', 'processCreditCardBatch'],
    ['ProcessCreditCardBatchV1', 'https://x/NetGate/ProcessCreditCardBatchV1', 'processCreditCardBatch'],
    ['ProcessCreditCardBatchV1', 'https://x/NetGate/ProcessCreditCardBatch', 'processCreditCardBatch'],
    ['ProcessCreditCardBatch', 'https://x/NetGate/Nonsense', undefined],
    ['ProcessCreditCardBatch', 'https://x/NetGate/GetBatchProcessResultFile', undefined],
    ['processCreditCardBatch', undefined, undefined],
    ['ProcessCreditCardBatchV2', undefined, undefined],
    ['ProcessACHEFT', undefined, undefined],
  ])('%s with the action %s is %s', (element, action, operation) => {
    expect(findOperation(callOf(element, action), SERVED)).toBe(operation);
  });
});

describe('unknownOperationText', () => {
  it('names the action, or the element when there is none', () => {
    const endpoint = { service: 'ReportLink', isFirstVersion: false } as const;
    const sentence = 'Server did not recognize the value of HTTP Header SOAPAction:';
    expect(unknownOperationText(callOf('A', 'https://x/B'), endpoint)).toBe(`${sentence} https://x/B.`);
    expect(unknownOperationText(callOf('A', undefined), endpoint)).toBe(`${sentence} A.`);
  });
});

function callOf(element: string, action: string | undefined): SoapCall {
  return { version: '1.2', element, action, fields: new Map() };
}

const OPERATION = 'createCreditCardCustomerCode';

describe('findLongText', () => {
  it.each([
    ['customerCode', 40],
    ['firstName', 100],
    ['companyName', 100],
    ['comment', 100],
    ['city', 40],
    ['alternatePhone', 40],
    ['creditCardCustomerName', 30],
  ])('lets %s have %d characters and no more', (name, limit) => {
    expect(findLongText(OPERATION, new Map([[name, 'x'.repeat(limit)]]))).toBeUndefined();
    expect(findLongText(OPERATION, new Map([[name, 'x'.repeat(limit + 1)]]))).toBe(
      `Bad request. ${name} may have ${limit} characters at most (--cut-long-values).`,
    );
  });

  it.each(['creditCardNum', 'creditCardExpiry', 'customerIPAddress', 'amount', 'invoiceNum', 'nonsense', 'agentCode'])(
    'does not ask for %s, which is refused elsewhere or passed over',
    (name) => {
      expect(findLongText(OPERATION, new Map([[name, '4'.repeat(1000)]]))).toBeUndefined();
    },
  );
});

describe('cutLongTexts', () => {
  it('leaves what fits as it is', () => {
    const fields = new Map([['city', 'x'.repeat(40)]]);
    expect(cutLongTexts(OPERATION, fields)).toBe(fields);
  });

  it('cuts what is too long and nothing else', () => {
    const fields = new Map([
      ['city', 'Troy'.repeat(20)],
      ['firstName', 'Ada'],
      ['creditCardNum', '4'.repeat(50)],
    ]);
    expect(Object.fromEntries(cutLongTexts(OPERATION, fields))).toEqual({
      city: 'Troy'.repeat(10),
      firstName: 'Ada',
      creditCardNum: '4'.repeat(50),
    });
  });

  it('leaves no half of a character', () => {
    expect(cutLongTexts(OPERATION, new Map([['city', `${'x'.repeat(39)}\u{1F600}`]])).get('city')).toBe('x'.repeat(39));
  });
});
