import { describe, expect, it } from 'vitest';
import { buildRequest } from '../../../src/gateway/soap/build-request.ts';
import { makeTemplate, templateOf } from '../../../src/gateway/soap/request-template.ts';

const address = new URL('https://gateway.example/NetGate/ProcessLinkv2.asmx');
const login = { agentCode: 'TEST88', password: 'a<&>b' };
const caller = () => ({ address, login });

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
        const built = await buildRequest({ operation, address: address.href, login, values: { [field]: value } });
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
