import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SPEC_OPERATIONS } from '../schemas/spec-tables.ts';
import { callSandbox } from '../sandbox/support/make-context.ts';
import type { OperationName } from '../../schemas/operations.ts';
import type { CallOptions } from '../../src/gateway/call-operation.ts';
import type { AnyAnswer } from '../../src/gateway/answers.ts';
import { achRow, lines } from '../support/payment-rows.ts';
import { BANK, codeOf, DAY, type OpenFace, openFace, PERSON, RECORD, SCHEDULE } from './support/contract-face.ts';
import { sampleParameters } from './support/call.ts';

const NA_ONLY = SPEC_OPERATIONS.filter(({ servers }) => servers === 'North America only').map(
  ({ name }) => name as OperationName,
);
const REFUSAL = 'Service cannot be used on this server.';

let open: OpenFace;
afterEach(() => open.sandbox.close());

describe('the UK face', () => {
  beforeEach(async () => {
    open = await openFace({ server: 'UK', currency: 'GBP' });
  });

  it.each(NA_ONLY)('restricts %s before anything leaves', async (operation) => {
    const { client, connections, sandbox } = open;
    const method: (parameters: never, options?: CallOptions) => Promise<AnyAnswer> = client[operation];
    expect(await method(sampleParameters(operation) as never, { mop: 'VISA' })).toEqual({
      kind: 'restricted',
      message: `${REFUSAL} Judged: server UK.`,
    });
    expect(connections()).toBe(0);
    expect(sandbox.books()).toEqual([]);
  });

  it.each(NA_ONLY)('refuses %s itself when it is asked past the client', async (operation) => {
    const element = operation.charAt(0).toUpperCase() + operation.slice(1);
    const service = SPEC_OPERATIONS.find(({ name }) => name === operation)?.service;
    const answer = await callSandbox(open.sandbox, element, wireTexts(operation), {
      path: `/NetGate/${service}v2.asmx`,
    });
    expect(answer).toContain(`<STATUS>Failure</STATUS><ERRORS>${REFUSAL}</ERRORS>`);
    expect(answer).not.toContain('TRANSACTIONID');
    expect(open.sandbox.books()).toEqual([]);
    expect(await open.client.getCustomerListByCreationTimeXML(DAY)).toMatchObject({ result: { customers: [] } });
  });

  it('has eight operations less', () => {
    expect(NA_ONLY).toHaveLength(8);
  });
});

describe('the NA face', () => {
  beforeEach(async () => {
    open = await openFace({ server: 'NA', currency: 'USD' });
  });

  it.each(['CHECKING', 'SAVING'] as const)('takes a charge of a %s account for the bank', async (accountType) => {
    expect(await open.client.processACHEFT({ ...BANK, accountType, total: '25.00' })).toEqual({
      kind: 'accepted',
      result: {
        transactionId: expect.stringMatching(/^A[0-9A-F]{7}$/),
        authorization: '555555',
        addressCheck: null,
        customerCode: null,
        settlementBatchDate: null,
        settlementDate: null,
      },
    });
    expect(open.sandbox.books()).toMatchObject([{ outcome: 'accepted_pending', charged: true, amountCents: 2500 }]);
  });

  it('keeps a bank record from its creation to its deletion', async () => {
    const { client } = open;
    const account = { ...BANK, accountCustomerName: 'Ada Byron' };
    const customerCode = codeOf(await client.createACHEFTCustomerCode({ ...RECORD, ...SCHEDULE, ...account }));
    const masked = `0${'*'.repeat(21)}0001`;
    const payment = { kind: 'bank', accountCustomerName: 'Ada Byron', accountNum: masked, accountType: 'CHECKING' };
    expect(await client.getCustomerCodeDetail({ customerCode })).toMatchObject({
      result: { customer: { ...RECORD, recurring: { scheduleType: 'Monthly', scheduleDate: '28' }, payment } },
    });
    expect((await client.processACHEFTWithCustomerCode({ customerCode, total: '6.00' })).kind).toBe('accepted');
    const change = { customerCode, ...PERSON, accountType: 'SAVING' } as const;
    expect((await client.updateACHEFTCustomerCode(change)).kind).toBe('approved');
    const list = await client.getCustomerListByCreationTimeXML(DAY);
    expect(list).toMatchObject({ result: { customers: [{ payment: { ...payment, accountType: 'SAVING' } }] } });
    expect((await client.deleteCustomerCode({ customerCode })).kind).toBe('approved');
    const later = await client.processACHEFTWithCustomerCode({ customerCode, total: '6.00' });
    expect(later).toMatchObject({ kind: 'declined', code: 3 });
  });

  it.each([
    ['processACHEFTChargeBatch', '25.00'],
    ['processACHEFTRefundBatch', '-25.00'],
  ] as const)('hands out the result file of %s', async (operation, amount) => {
    const rows = [achRow(1, { amount }), achRow(1, { amount }), achRow(2, { amount: '0.00' }), 'too,short'];
    const taken = await open.client[operation]({ batchFile: Buffer.from(lines(rows)) });
    open.sandbox.clock.advance(2_000);
    const batchId = taken.kind === 'accepted' ? taken.result.batchId : '';
    const done = await open.client.getBatchProcessResultFile({ batchId });
    const masked = rows.map((row) => row.replace(/021000021\d{13}/, `0${'*'.repeat(21)}`));
    const messages = ['Received', 'Duplicated', 'Wrong Format', 'Wrong Format'];
    expect(done.kind === 'approved' ? done.result.file?.toString() : done).toBe(
      lines(
        masked.map((row, index) => `${row},${messages[index]}`),
        '\r\n',
      ),
    );
  });

  it('takes the Canadian columns and those with customer codes', async () => {
    const { client, sandbox } = open;
    const canadian = '06/15/2026,C-1,Ada Byron,25.00,VISA,4222222222222220,1235';
    const results = [
      [canadian, `${canadian.replace('4222222222222220', '4***********2220')},OK: 678594:\r\n`],
      ['K-1,A10000001,25.00,June dues', 'K-1,A10000001,25.00,June dues,OK: 678594:\r\n'],
    ] as const;
    for (const [row, expected] of results) {
      const taken = await client.processCreditCardBatch({ batchFile: Buffer.from(row) });
      sandbox.clock.advance(2_000);
      const batchId = taken.kind === 'accepted' ? taken.result.batchId : '';
      const done = await client.getBatchProcessResultFile({ batchId });
      expect(done.kind === 'approved' && done.result.file?.toString()).toBe(expected);
    }
  });
});

/** Returns every parameter as any client could write it, without our checks. */
function wireTexts(operation: OperationName): Record<string, string> {
  const entries = Object.entries(sampleParameters(operation));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Buffer.isBuffer(value) ? value.toString('base64') : String(value)]),
  );
}
