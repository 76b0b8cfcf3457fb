import { describe, expect, it } from 'vitest';
import { answerReply, faultReply } from '../../../src/sandbox/soap/write-envelope.ts';
import { goldenAnswer, goldenEnvelope } from '../support/soap-request.ts';

describe('answerReply', () => {
  it.each([
    ['1.1', 'soap 1.1', 'text/xml; charset=utf-8'],
    ['1.2', 'soap 1.2 with action', 'application/soap+xml; charset=utf-8'],
  ] as const)('writes version %s on one line', (version, style, contentType) => {
    const reply = answerReply(version, 'Op', { payload: '<P />' });
    expect(reply).toEqual({
      status: 200,
      contentType,
      body: goldenAnswer('Op', '<STATUS>Success</STATUS><ERRORS /><P />', style),
    });
  });

  it('tells a failure in ERRORS, with HTTP 200 all the same', () => {
    const { status, body } = answerReply('1.2', 'Op', { payload: '<P />', error: 'a < b' });
    expect(status).toBe(200);
    expect(body).toBe(goldenAnswer('Op', '<STATUS>Failure</STATUS><ERRORS>a &lt; b</ERRORS><P />'));
  });

  it('has the length of the recorded answer of 2016, whose only line breaks are in its values', () => {
    const values = [' OK: 678594:\n', '', ' 11/05/2016\n', ' 11/06/2016\n', 'A6DE6F24\n'];
    const names = ['AUTHORIZATIONRESULT', 'CUSTOMERCODE', 'SETTLEMENTBATCHDATE', 'SETTLEMENTDATE', 'TRANSACTIONID'];
    const inner = names.map((name, index) => (values[index] ? `<${name}>${values[index]}</${name}>` : `<${name} />`));
    const payload = `<PROCESSRESULT>${inner.join('')}</PROCESSRESULT>`;
    const { body } = answerReply('1.2', 'ProcessCreditCardV1', { payload });
    expect(Buffer.byteLength(body)).toBe(719);
  });
});

describe('faultReply', () => {
  it.each([
    ['client', 'soap:Client', 'soap:Sender'],
    ['server', 'soap:Server', 'soap:Receiver'],
  ] as const)('blames the %s in the words of each version', (blame, code11, code12) => {
    const fault = 'a & b';
    expect(faultReply({ version: '1.1', blame, fault })).toMatchObject({
      status: 500,
      contentType: 'text/xml; charset=utf-8',
      body: goldenEnvelope(
        `<soap:Fault><faultcode>${code11}</faultcode><faultstring>a &amp; b</faultstring><detail /></soap:Fault>`,
        'soap 1.1',
      ),
    });
    expect(faultReply({ version: '1.2', blame, fault })).toMatchObject({
      status: 500,
      contentType: 'application/soap+xml; charset=utf-8',
      body: goldenEnvelope(
        `<soap:Fault><soap:Code><soap:Value>${code12}</soap:Value></soap:Code><soap:Reason>` +
          '<soap:Text xml:lang="en">a &amp; b</soap:Text></soap:Reason><soap:Detail /></soap:Fault>',
      ),
    });
  });
});
