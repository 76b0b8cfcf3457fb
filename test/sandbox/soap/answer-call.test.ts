import { describe, expect, it } from 'vitest';
import type { HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { answerCall } from '../../../src/sandbox/soap/answer-call.ts';
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

const RESULT = 'GetBatchProcessResultFile';
const NULL_FAILURE =
  '<STATUS>Failure</STATUS><ERRORS>Object reference not set to an instance of an object.</ERRORS>' +
  '<BATCHPROCESSRESULT><AUTHORIZATIONRESULT /></BATCHPROCESSRESULT>';
const BAD_LOGIN =
  '<STATUS>Success</STATUS><ERRORS />' +
  '<BATCHPROCESSRESULT><AUTHORIZATIONRESULT>REJECT: 1</AUTHORIZATIONRESULT><BATCHID /></BATCHPROCESSRESULT>';
const RUNNING =
  '<STATUS>Success</STATUS><ERRORS /><BATCHPROCESSRESULT>' +
  '<AUTHORIZATIONRESULT>Batch Processing, Please Wait ....</AUTHORIZATIONRESULT><BATCHID>1000001</BATCHID>' +
  '</BATCHPROCESSRESULT>';
const UNKNOWN =
  '<STATUS>Success</STATUS><ERRORS /><BATCHPROCESSRESULT>' +
  '<AUTHORIZATIONRESULT>Error : Invalid Batch ID.</AUTHORIZATIONRESULT><BATCHID>7</BATCHID></BATCHPROCESSRESULT>';

describe('answerCall', () => {
  it.each(STYLES)('answers %s in its own version', async (style) => {
    const { context } = await makeContext();
    const reply = await answer(context, soapRequest(RESULT, { ...LOGIN, batchId: '7' }, style));
    expect(reply.body).toBe(goldenAnswer(RESULT, UNKNOWN, style));
  });

  it.each<[string, string, Fields, string]>([
    ['needs the batch file', 'ProcessCreditCardBatch', LOGIN, NULL_FAILURE],
    ['needs the batch id', RESULT, LOGIN, NULL_FAILURE],
    ['looks for what is missing before the login', RESULT, {}, NULL_FAILURE],
    ['takes an empty file', 'ProcessCreditCardBatch', { ...LOGIN, batchFile: '' }, RUNNING],
    ['refuses a wrong password', RESULT, { ...LOGIN, password: 'test88', batchId: '7' }, BAD_LOGIN],
    ['refuses a wrong agent code', RESULT, { ...LOGIN, agentCode: 'TEST', batchId: '7' }, BAD_LOGIN],
    ['refuses no login', RESULT, { batchId: '7' }, BAD_LOGIN],
    ['passes over unknown elements', RESULT, { nonsense: '1', ...LOGIN, cvv2: '123', batchId: '7' }, UNKNOWN],
    ['takes any order', RESULT, { batchId: '7', password: 'TEST88', agentCode: 'TEST88' }, UNKNOWN],
    ['takes an address of the payer', RESULT, { ...LOGIN, customerIPAddress: '', batchId: '7' }, UNKNOWN],
  ])('%s', async (_, element, fields, inner) => {
    const { context } = await makeContext();
    expect((await answer(context, soapRequest(element, fields))).body).toBe(goldenAnswer(element, inner));
  });

  it('refuses a text that is too long, after the login', async () => {
    const { context } = await makeContext();
    const long = { batchId: '7'.repeat(41) };
    const error = 'Bad request. batchId may have 40 characters at most.';
    const failure =
      `<STATUS>Failure</STATUS><ERRORS>${error}</ERRORS>` +
      '<BATCHPROCESSRESULT><AUTHORIZATIONRESULT /></BATCHPROCESSRESULT>';
    expect((await answer(context, soapRequest(RESULT, { ...LOGIN, ...long }))).body).toBe(
      goldenAnswer(RESULT, failure),
    );
    expect((await answer(context, soapRequest(RESULT, long))).body).toBe(goldenAnswer(RESULT, BAD_LOGIN));
    expect((await answer(context, soapRequest(RESULT, { ...long, agentCode: 'A'.repeat(9999) }))).body).toBe(
      goldenAnswer(RESULT, BAD_LOGIN),
    );
  });

  it('cuts a text that is too long when it is told to', async () => {
    const { context } = await makeContext({ cutsLongValues: true });
    const { body } = await answer(context, soapRequest(RESULT, { ...LOGIN, batchId: '7'.repeat(41) }));
    expect(body).toBe(goldenAnswer(RESULT, UNKNOWN.replace('>7<', `>${'7'.repeat(40)}<`)));
  });

  it('does not look into a body that is no SOAP message by its type', async () => {
    const { context } = await makeContext();
    const { body } = soapRequest(RESULT, { ...LOGIN, batchId: '7' });
    expect((await answer(context, { headers: { 'Content-Type': 'application/json' }, body })).status).toBe(415);
  });

  it('takes a nil element as absent', async () => {
    const { context } = await makeContext();
    const request = soapRequest(RESULT, { ...LOGIN, batchId: '7' });
    const body = request.body.replace('<ns1:batchId>', '<ns1:batchId xmlns:i="x" i:nil="true">');
    expect((await answer(context, { ...request, body })).body).toBe(goldenAnswer(RESULT, NULL_FAILURE));
  });

  it('takes elements of the namespace that other clients use', async () => {
    const { context } = await makeContext();
    const request = soapRequest(RESULT, { ...LOGIN, batchId: '7' }, 'soap 1.2 without action');
    const body = request.body.replace('https://www.iats', 'https://www.uk.iats');
    expect((await answer(context, { ...request, body })).body).toBe(goldenAnswer(RESULT, UNKNOWN));
  });

  it('answers the names of the first version with the names of the first version', async () => {
    const { context } = await makeContext();
    const reply = await answer(context, soapRequest(`${RESULT}V1`, { ...LOGIN, batchId: '7' }, 'soap 1.1'));
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
    const failure =
      '<STATUS>Failure</STATUS><ERRORS>Service cannot be used on this server.</ERRORS>' +
      '<BATCHPROCESSRESULT><AUTHORIZATIONRESULT /></BATCHPROCESSRESULT>';
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
    const { context } = await makeContext();
    const reply = await answer(context, request);
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

function answer(context: HandlerContext, { headers, body }: SoapRequest) {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const call = { method: 'POST', path: '/', query: new URLSearchParams(), headers: lower, body: Buffer.from(body) };
  return answerCall('ProcessLink', call, context);
}
