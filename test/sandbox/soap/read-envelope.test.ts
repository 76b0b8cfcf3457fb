import { describe, expect, it } from 'vitest';
import { decodeDocument, parameterOf, readEnvelope } from '../../../src/sandbox/soap/read-envelope.ts';
import {
  goldenAnswer,
  goldenEnvelope,
  NAMESPACE,
  type SoapRequest,
  soapRequest,
  STYLES,
  versionOf,
} from '../support/soap-request.ts';
import { readMoment, readParameters } from '../../../src/sandbox/soap/read-parameters.ts';
import { answerReply, faultReply } from '../../../src/sandbox/soap/write-envelope.ts';

const FIELDS = { agentCode: 'TEST88', password: 'p&amp;q', batchId: '' };

describe('readEnvelope', () => {
  it.each(STYLES)('reads %s', (style) => {
    expect(read(soapRequest('GetBatchProcessResultFile', FIELDS, style))).toEqual({
      version: versionOf(style),
      element: 'GetBatchProcessResultFile',
      action: style === 'soap 1.2 without action' ? undefined : `${NAMESPACE}GetBatchProcessResultFile`,
      fields: new Map([
        ['agentCode', 'TEST88'],
        ['password', 'p&q'],
        ['batchId', ''],
      ]),
    });
  });

  it.each([
    ['', undefined],
    ['""', undefined],
    ['  "a"  ', 'a'],
    ['a', 'a'],
  ])('reads the SOAPAction %j as %j', (soapAction, action) => {
    const { headers, body } = soapRequest('A', {}, 'soap 1.1');
    expect(read({ headers: { ...headers, SOAPAction: soapAction }, body })).toMatchObject({ action });
  });

  it('goes by the envelope when the Content-Type says another version', () => {
    const { body } = soapRequest('A', {}, 'soap 1.1');
    expect(read({ headers: { 'Content-Type': 'application/soap+xml' }, body })).toMatchObject({ version: '1.1' });
  });

  it('goes by the Content-Type when the envelope is of no known version', () => {
    const body = '<Envelope><Body><A/></Body></Envelope>';
    expect(read({ headers: { 'Content-Type': 'application/soap+xml' }, body })).toMatchObject({ version: '1.2' });
    expect(read({ headers: {}, body })).toMatchObject({ version: '1.1' });
  });

  it('passes over a header', () => {
    const body = '<Envelope><Header><A><x>0</x></A></Header><Body><A><x>1</x></A></Body></Envelope>';
    expect(read({ headers: {}, body })).toMatchObject({ fields: new Map([['x', '1']]) });
  });

  it.each([
    ['true', false],
    ['1', false],
    ['false', true],
  ])('nil="%s" leaves an element present: %j', (nil, isPresent) => {
    const body = `<Envelope xmlns:xsi="i"><Body><A><x xsi:nil="${nil}"/></A></Body></Envelope>`;
    const call = read({ headers: {}, body });
    expect('fields' in call && call.fields.has('x')).toBe(isPresent);
  });

  it.each([
    ['no XML', 'batchId=1', 'Data at the root level is invalid.'],
    ['a DOCTYPE', '<!DOCTYPE a><Envelope><Body><A/></Body></Envelope>', 'DTD is prohibited'],
    ['another root', '<Letter><Body><A/></Body></Letter>', 'The root element is not a SOAP envelope.'],
    ['no body', '<Envelope/>', 'The SOAP body holds no request element.'],
    ['an empty body', '<Envelope><Body> </Body></Envelope>', 'The SOAP body holds no request element.'],
    ['bytes of another charset', Buffer.from([0xff, 0x00, 0x41]).toString('latin1'), 'character set'],
  ])('blames the client for %s', (_, body, reason) => {
    const call = readEnvelope({ headers: {}, body: Buffer.from(body, 'latin1') });
    expect(call).toMatchObject({ blame: 'client', fault: expect.stringContaining(reason) });
    expect(call).toMatchObject({ fault: expect.stringMatching(/^Server was unable to read request\. ---> /) });
  });
});

function read({ headers, body }: SoapRequest) {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return readEnvelope({ headers: lower, body: Buffer.from(body) });
}

describe('decodeDocument', () => {
  it.each<[string, Buffer, string]>([
    ['UTF-8 when nothing is said', Buffer.from('<é/>'), ''],
    ['UTF-8 with a mark', Buffer.from('\uFEFF<é/>'), 'text/xml'],
    ['the charset of the Content-Type', Buffer.from('<é/>', 'latin1'), 'text/xml; charset=iso-8859-1'],
    ['a quoted charset', Buffer.from('<é/>'), 'text/xml; charset="UTF-8"'],
    ['the mark of UTF-16', Buffer.from('\uFEFF<é/>', 'utf16le'), 'text/xml; charset=utf-8'],
    ['the other mark of UTF-16', Buffer.from('\uFEFF<é/>', 'utf16le').swap16(), ''],
    ['the bytes of UTF-16 without a mark', Buffer.from('<é/>', 'utf16le'), 'text/xml; charset=utf-16'],
    ['the other bytes of UTF-16 without a mark', Buffer.from('<é/>', 'utf16le').swap16(), 'text/xml; charset=utf-16'],
  ])('goes by %s', (_, bytes, contentType) => {
    expect(decodeDocument(bytes, contentType)).toBe('<é/>');
  });

  it('goes by the declaration when the Content-Type is silent', () => {
    const document = "<?xml version='1.0' encoding='ISO-8859-1'?><é/>";
    expect(decodeDocument(Buffer.from(document, 'latin1'), 'text/xml')).toBe(document);
  });

  it.each<[string, Buffer, string]>([
    ['bytes that are no UTF-8', Buffer.from([0x3c, 0xe9, 0x3e]), 'text/xml; charset=utf-8'],
    ['an unknown charset', Buffer.from('<a/>'), 'text/xml; charset=klingon'],
  ])('is undefined for %s', (_, bytes, contentType) => {
    expect(decodeDocument(bytes, contentType)).toBeUndefined();
  });
});

describe('parameterOf', () => {
  it.each([
    ['text/xml; charset=utf-8; action="https://x/a;b"', 'action', 'https://x/a;b'],
    ['text/xml;ACTION=x', 'action', 'x'],
    ['text/xml; action=""', 'action', ''],
    ['text/xml; charset=utf-8', 'action', undefined],
    ['', 'action', undefined],
  ])('of %j, %s is %j', (header, name, value) => {
    expect(parameterOf(header, name)).toBe(value);
  });
});

describe('readParameters', () => {
  it.each([
    ['QUI=', 'AB'],
    ['QUJD', 'ABC'],
    ['QQ==', 'A'],
    [' QU\n JD\t', 'ABC'],
    ['', ''],
  ])('decodes the base64 %j', (text, plain) => {
    const parameters = readParameters('processCreditCardBatch', new Map([['batchFile', text]]));
    expect('fault' in parameters ? parameters.fault : parameters.bytes('batchFile')?.toString()).toBe(plain);
  });

  it.each(['QUI', 'QUJD=', 'Q===', 'QU=D', 'QU-_', 'QUJ*', '====', 'QUJDé==='])('refuses the base64 %j', (text) => {
    const parameters = readParameters('processCreditCardBatch', new Map([['batchFile', text]]));
    expect(parameters).toEqual({
      fault:
        'Server was unable to read request. ---> There is an error in XML document. ---> ' +
        'Invalid length for a Base-64 char array or string.',
    });
  });

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
    [' true\n', true],
  ])('reads the boolean %j', (text, value) => {
    const parameters = readParameters('createCreditCardCustomerCode', new Map([['recurring', text]]));
    expect('fault' in parameters ? parameters.fault : parameters.flag('recurring')).toBe(value);
  });

  it.each(['', 'TRUE', 'yes', '2', 'on'])('refuses the boolean %j', (text) => {
    const parameters = readParameters('updateCreditCardCustomerCode', new Map([['updateCreditCardNum', text]]));
    expect(parameters).toEqual({
      fault:
        'Server was unable to read request. ---> There is an error in XML document. ---> ' +
        'The string is not a valid Boolean value.',
    });
  });

  it.each(['2017-06-16', '2017-06-16T00:00:00+00:00'])('reads the moment %j', (text) => {
    const parameters = readParameters('createCreditCardCustomerCode', new Map([['beginDate', text]]));
    const moment = 'fault' in parameters ? undefined : parameters.moment('beginDate');
    expect(moment?.toISOString()).toBe('2017-06-16T00:00:00.000Z');
  });

  it.each(['', 'today', '2017-02-30'])('refuses the moment %j', (text) => {
    const parameters = readParameters('getCustomerListByCreationTimeXML', new Map([['toDate', text]]));
    expect(parameters).toEqual({
      fault:
        'Server was unable to read request. ---> There is an error in XML document. ---> ' +
        'The string is not a valid AllXsd value.',
    });
  });

  it('passes over a typed element that its operation does not have', () => {
    expect(readParameters('processCreditCard', new Map([['recurring', 'maybe']]))).not.toHaveProperty('fault');
  });

  it('tells absent from empty', () => {
    const parameters = readParameters('getBatchProcessResultFile', new Map([['batchId', '']]));
    if ('fault' in parameters) throw new Error(parameters.fault);
    expect(parameters.text('batchId')).toBe('');
    expect(parameters.text('customerIPAddress')).toBeUndefined();
    expect(parameters.bytes('batchFile')).toBeUndefined();
    expect(parameters.flag('recurring')).toBeUndefined();
    expect(parameters.moment('beginDate')).toBeUndefined();
  });
});

describe('readMoment', () => {
  it.each([
    ['2017-06-16T00:00:00+00:00', '2017-06-16T00:00:00.000Z'],
    ['2017-06-16T00:00:00Z', '2017-06-16T00:00:00.000Z'],
    ['2017-06-16T01:30:00+01:30', '2017-06-16T00:00:00.000Z'],
    ['2017-06-15T17:00:00-07:00', '2017-06-16T00:00:00.000Z'],
    ['2017-06-16T10:11:12', '2017-06-16T10:11:12.000Z'],
    ['2017-06-16T10:11:12.3456789Z', '2017-06-16T10:11:12.345Z'],
    ['2017-06-16T10:11:12.5', '2017-06-16T10:11:12.500Z'],
    [' 2017-06-16\n', '2017-06-16T00:00:00.000Z'],
    ['2017-06-16-07:00', '2017-06-16T07:00:00.000Z'],
    ['2020-02-29', '2020-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z'],
  ])('reads %j', (text, moment) => {
    expect(readMoment(text)?.toISOString()).toBe(moment);
  });

  it.each([
    '',
    'today',
    '06/16/2017',
    '2017-6-16',
    '2017-02-29',
    '2017-13-01',
    '2017-06-31T00:00:00',
    '2017-06-16 00:00:00',
    '2017-06-16T24:00:00',
    '2017-06-16T00:60:00',
    '2017-06-16T00:00',
    '2017-06-16T00:00:00+15:00',
    '2017-06-16T00:00:00z',
    '20170616',
  ])('refuses %j', (text) => {
    expect(readMoment(text)).toBeUndefined();
  });
});

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
