import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGatewayClient, type GatewayClient } from '../../src/gateway/create-gateway-client.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { achRow } from '../support/payment-rows.ts';

/** Client and sandbox implement the same description of the wire independently; here they meet. */

const CARD = '4222222222222220';
const DECLINING_CARD = '4111111111111111';
const PERSON = {
  firstName: 'Ada',
  lastName: "O'Byron & Söhne",
  address: '1 <Mill> Lane',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
};
const BANK = { accountNum: '02100002100000000000000001', accountType: 'CHECKING' } as const;
const VISA = { mop: 'VISA' } as const;
const CUSTOMER = {
  ...PERSON,
  customerIPAddress: '',
  companyName: 'Engine Co.',
  phone: '555-555-1234',
  fax: '',
  alternatePhone: '',
  email: 'ada@example.com',
  comment: 'note',
  recurring: false,
  amount: '5.00',
  beginDate: new Date('2026-06-16T00:00:00Z'),
  endDate: new Date('2031-06-15T00:00:00Z'),
  scheduleType: 'Weekly',
  scheduleDate: '7',
  creditCardCustomerName: 'Ada Byron',
  creditCardNum: CARD,
  creditCardExpiry: '12/35',
} as const;

let sandbox: Sandbox;
let client: GatewayClient;
beforeEach(async () => {
  sandbox = await startSandbox({ now: '2026-06-15T09:00:00Z' });
  client = createGatewayClient({
    server: 'NA',
    agentCode: 'TEST88',
    password: 'TEST88',
    currency: 'USD',
    baseUrl: sandbox.url,
  });
});
afterEach(() => sandbox.close());

describe('the client with the sandbox', () => {
  it('charges and refunds a card', async () => {
    const details = { ...PERSON, creditCardNum: CARD, creditCardExpiry: '12/35', cvv2: '123', ...VISA };
    const charge = await client.processCreditCard({ ...details, total: '25.00', invoiceNum: 'I-1' });
    expect(charge).toMatchObject({
      kind: 'approved',
      result: { authorization: '678594', settlementBatchDate: '06/15/2026' },
    });
    const refund = await client.processCreditCardRefundWithTransactionId({
      transactionId: idOf(charge),
      total: '-5.00',
    });
    expect(refund.kind).toBe('approved');
    const declined = await client.processCreditCard({ ...details, creditCardNum: DECLINING_CARD, total: '2.00' });
    expect(declined).toMatchObject({ kind: 'declined', code: 15, advice: 'cardholder' });
  });

  it('charges and refunds a bank account', async () => {
    const charge = await client.processACHEFT({ ...BANK, total: '25.00' });
    expect(charge).toMatchObject({ kind: 'accepted', result: { authorization: '555555' } });
    expect(
      (await client.processACHEFTRefundWithTransactionId({ transactionId: idOf(charge), total: '-5.00' })).kind,
    ).toBe('accepted');
  });

  it('makes a customer code with a charge and charges it again', async () => {
    const card = await client.createCustomerCodeAndProcessCreditCard(
      { ...PERSON, ccNum: CARD, ccExp: '12/35', total: '5.00' },
      VISA,
    );
    expect(card.kind).toBe('approved');
    expect(
      (await client.processCreditCardWithCustomerCode({ customerCode: codeOf(card), total: '6.00' }, VISA)).kind,
    ).toBe('approved');
    const bank = await client.createCustomerCodeAndProcessACHEFT({ ...PERSON, ...BANK, total: '5.00' });
    expect(bank.kind).toBe('accepted');
    expect((await client.processACHEFTWithCustomerCode({ customerCode: codeOf(bank), total: '6.00' })).kind).toBe(
      'accepted',
    );
  });

  it('creates, reads, changes, lists and deletes customer records', async () => {
    const customerCode = codeOf(await client.createCreditCardCustomerCode({ ...CUSTOMER, recurring: true }));
    const bankCode = codeOf(await client.createACHEFTCustomerCode({ ...PERSON, ...BANK }));
    const detail = await client.getCustomerCodeDetail({ customerCode });
    expect(detail).toMatchObject({
      kind: 'approved',
      result: { customer: { ...PERSON, customerCode, companyName: 'Engine Co.' } },
    });
    expect(JSON.stringify(detail)).not.toContain(CARD);
    expect((await client.updateCreditCardCustomerCode({ customerCode, ...PERSON, city: 'Salem' })).kind).toBe(
      'approved',
    );
    expect((await client.updateACHEFTCustomerCode({ customerCode: bankCode, ...PERSON, city: 'Dover' })).kind).toBe(
      'approved',
    );
    const range = { customerCode: '', fromDate: '2026-06-15T00:00:00+00:00', toDate: '2026-06-16T00:00:00+00:00' };
    const list = await client.getCustomerListByCreationTimeXML(range);
    const cities = list.kind === 'approved' ? list.result.customers.map((customer) => customer.city) : [];
    expect(cities.sort()).toEqual(['Dover', 'Salem']);
    const csv = await client.getCustomerListByCreationTimeCSV(range);
    expect(csv.kind === 'approved' ? csv.result.csv.trim().split('\r\n') : []).toHaveLength(3);
    expect((await client.deleteCustomerCode({ customerCode })).kind).toBe('approved');
    expect((await client.getCustomerCodeDetail({ customerCode })).kind).toBe('failed');
  });

  it('sends each kind of batch and fetches its result', async () => {
    const answers = [
      await client.processACHEFTChargeBatch({ batchFile: Buffer.from(achRow(1)) }),
      await client.processACHEFTRefundBatch({ batchFile: Buffer.from(achRow(2, { amount: '-5.00' })) }),
      await client.processCreditCardBatch({ batchFile: Buffer.from('K-1,A10000001,5.00,x') }),
    ];
    sandbox.clock.advance(2_000);
    for (const answer of answers) {
      expect(answer.kind).toBe('accepted');
      const batchId = answer.kind === 'accepted' ? answer.result.batchId : '';
      const result = await client.getBatchProcessResultFile({ batchId });
      expect(result).toMatchObject({ kind: 'approved', result: { batchId, file: expect.any(Buffer) } });
    }
  });
});

type WithResult = { kind: string; result?: { transactionId?: string | null; customerCode?: string | null } };

function idOf(answer: WithResult): string {
  return answer.result?.transactionId ?? 'none';
}

function codeOf(answer: WithResult): string {
  return answer.result?.customerCode ?? 'none';
}
