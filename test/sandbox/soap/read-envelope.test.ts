import { describe, expect, it } from 'vitest';
import { readEnvelope } from '../../../src/sandbox/soap/read-envelope.ts';
import { NAMESPACE, type SoapRequest, soapRequest, STYLES, versionOf } from '../support/soap-request.ts';

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

  it('passes over a header, and takes the first of two like elements', () => {
    const body = '<Envelope><Header><A><x>0</x></A></Header><Body><A><x>1</x><x>2</x></A></Body></Envelope>';
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
