import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { buildRequest, makeTemplate, templateOf } from '../../../src/gateway/soap/build-request.ts';
import { loadWsdl } from '../../../src/gateway/soap/load-wsdl.ts';

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

describe('loadWsdl', () => {
  it('describes the one operation', async () => {
    const wsdl = await loadWsdl('deleteCustomerCode', 'https://gateway.example/x');
    expect(Object.keys(wsdl.definitions.bindings.CustomerLinkSoap12?.methods ?? {})).toEqual(['DeleteCustomerCode']);
  });
});

const address = new URL('https://gateway.example/NetGate/ProcessLinkv2.asmx');
const oddLogin = { agentCode: 'TEST88', password: 'a<&>b' };
const caller = () => ({ address, login: oddLogin });

const CASES = [
  { operation: 'processCreditCardBatch', field: 'batchFile', values: ['QUJDRA==', 'QQ==', 'eHh4'.repeat(50_000)] },
  { operation: 'processACHEFTChargeBatch', field: 'batchFile', values: ['QUJDRA=='] },
  { operation: 'processACHEFTRefundBatch', field: 'batchFile', values: ['QUJDRA=='] },
  { operation: 'getBatchProcessResultFile', field: 'batchId', values: ['1', 'B0000001'] },
] as const;

describe('makeTemplate', () => {
  it.each(CASES)(
    'fills in the request of $operation as buildRequest writes it',
    async ({ operation, field, values }) => {
      const template = await makeTemplate(caller(), operation, field);
      for (const value of values) {
        const built = await buildRequest({
          operation,
          address: address.href,
          login: oddLogin,
          values: { [field]: value },
        });
        expect(template.fill(value)).toEqual(built);
      }
    },
  );

  it.each([1, 2, 3, 48 * 1024 - 1, 48 * 1024, 48 * 1024 + 1, 200_000])(
    'fills in a file of %i bytes as its base64',
    async (size) => {
      const template = await makeTemplate(caller(), 'processCreditCardBatch', 'batchFile');
      const around = Buffer.from(Array.from({ length: size + 2 }, (_, index) => index % 251));
      const file = new Uint8Array(around.buffer, around.byteOffset + 1, size);
      const expected = template.fill(Buffer.from(file).toString('base64'));
      expect(template.fillFile(file).body.equals(expected.body)).toBe(true);
    },
  );

  it('makes requests that share nothing', async () => {
    const template = await makeTemplate(caller(), 'getBatchProcessResultFile', 'batchId');
    const [one, other] = [template.fill('11'), template.fill('22')];
    one.body.fill(0);
    expect(other.body.includes('<batchId>22</batchId>')).toBe(true);
  });
});

describe('templateOf', () => {
  it('makes one template for each caller and operation', async () => {
    const one = caller();
    const first = await templateOf(one, 'getBatchProcessResultFile', 'batchId');
    expect(await templateOf(one, 'getBatchProcessResultFile', 'batchId')).toBe(first);
    expect(await templateOf(one, 'processCreditCardBatch', 'batchFile')).not.toBe(first);
    const stranger = { address, login: { agentCode: 'OTHER1', password: 'x' } };
    const theirs = await templateOf(stranger, 'getBatchProcessResultFile', 'batchId');
    expect(theirs.fill('1').body.toString()).toContain('<agentCode>OTHER1</agentCode>');
  });
});
