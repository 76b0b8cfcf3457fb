import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { buildRequest } from '../../../src/gateway/soap/build-request.ts';

const ADDRESS = 'https://gateway.example/NetGate/ProcessLinkv2.asmx';
const login = { agentCode: 'TEST88', password: 'TEST88' };

describe('buildRequest', () => {
  it('writes the recommended envelope and the action', async () => {
    const { headers, body } = await build('processACHEFTRefundBatch', { batchFile: 'QUJDRA==' });
    expect(headers).toEqual({
      'Content-Type':
        'application/soap+xml; charset=utf-8; action="https://www.iatspayments.com/NetGate/ProcessACHEFTRefundBatch"',
    });
    expect(body.toString()).toBe(
      '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope" ' +
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"  xmlns:tns="https://www.iatspayments.com/NetGate/">' +
        '<soap:Body><ProcessACHEFTRefundBatch xmlns="https://www.iatspayments.com/NetGate/">' +
        '<agentCode>TEST88</agentCode><password>TEST88</password><customerIPAddress></customerIPAddress>' +
        '<batchFile>QUJDRA==</batchFile></ProcessACHEFTRefundBatch></soap:Body></soap:Envelope>',
    );
  });

  it.each(Object.keys(OPERATIONS) as OperationName[])('writes the elements of %s in wire order', async (operation) => {
    const wire: readonly FieldName[] = OPERATIONS[operation].wire;
    const backwards = Object.fromEntries([...wire].reverse().map((name) => [name, name]));
    const { body } = await build(operation, { ...backwards, customerIPAddress: '10.0.0.1' });
    const written = [...body.toString().matchAll(/<([a-z]\w*)>([^<]*)</g)].map(([, name, value]) => [name, value]);
    expect(written).toEqual([
      ['agentCode', 'TEST88'],
      ['password', 'TEST88'],
      ['customerIPAddress', '10.0.0.1'],
      ...wire.map((name) => [name, name]),
    ]);
  });

  it('leaves out strings without a value and nothing else', async () => {
    const values = {
      customerCode: 'A1',
      recurring: 'false',
      beginDate: '2026-01-01',
      endDate: '2026-01-01',
      email: '',
    };
    const { body } = await build('createCreditCardCustomerCode', values);
    expect(body.toString()).toContain(
      '<customerCode>A1</customerCode><email></email><recurring>false</recurring><beginDate>',
    );
  });

  it.each(['recurring', 'beginDate', 'endDate'] as const)('refuses to leave out %s', async (missing) => {
    const values: Partial<Record<FieldName, string>> = { recurring: 'true', beginDate: 'x', endDate: 'x' };
    delete values[missing];
    expect(FIELDS[missing].kind).not.toBe('text');
    await expect(build('createACHEFTCustomerCode', values)).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining(`${missing} is missing`),
    });
  });

  it.each([
    ['markup', '</password>&<b>', '&lt;/password&gt;&amp;&lt;b&gt;'],
    ['what looks like CDATA', '<![CDATA[<x/>]]>', '&lt;![CDATA[&lt;x/&gt;]]&gt;'],
    ['what XML cannot carry', 'a\u0000b\u0008c\ufffed\ud800e', 'abcde'],
    ['quotes, which need nothing', `'"`, `'"`],
    ['a carriage return, which XML would change', 'a\r\nb', 'a&#xD;\nb'],
    ['other alphabets', 'Zoë 𝄞', 'Zoë 𝄞'],
  ])('escapes %s', async (_what, batchId, written) => {
    const { body } = await build('getBatchProcessResultFile', { batchId });
    expect(body.toString()).toContain(`<batchId>${written}</batchId>`);
  });

  it('does not touch base64, however long', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
        const batchFile = Buffer.from(bytes).toString('base64');
        const { body } = await build('processCreditCardBatch', { batchFile });
        expect(body.toString()).toContain(`<batchFile>${batchFile}</batchFile>`);
      }),
      { numRuns: 30 },
    );
  });

  it('says nothing of the values when node-soap fails', async () => {
    const values = { batchId: 'canary' };
    const error: unknown = await buildRequest({
      operation: 'getBatchProcessResultFile',
      // XML forbids this character, so the description itself cannot be read.
      address: '\u0000<&',
      login,
      values,
    }).catch((thrown: unknown) => thrown);
    expect(inspect(error, { depth: Infinity })).not.toMatch(/canary|TEST88/);
  });
});

function build(operation: OperationName, values: Partial<Record<FieldName, string>>) {
  return buildRequest({ operation, address: ADDRESS, login, values });
}
