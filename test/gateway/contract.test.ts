import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OperationName } from '../../schemas/operations.ts';
import { CURRENCIES } from '../../schemas/restrictions.ts';
import { achRow, cardRow, lines } from '../support/payment-rows.ts';
import {
  BANK,
  CARD,
  codeOf,
  DAY,
  FACES,
  idOf,
  MAGIC_CARD,
  NEW_CARD,
  type OpenFace,
  openFace,
  PAYMENT,
  PERSON,
  RECORD,
  SCHEDULE,
} from './support/contract-face.ts';

/**
 * What the service promises, as far as client and sandbox must agree on it, on both regional faces.
 * contract-regions.test.ts covers what only one face has; test/sandbox tests how the sandbox judges.
 */

const VISA = { mop: 'VISA' } as const;
const ALL_MOPS = ['VISA', 'MC', 'AMX', 'DSC', 'MAESTR'] as const;

describe.each(FACES)('the $server face', (face) => {
  let open: OpenFace;
  beforeEach(async () => {
    open = await openFace(face);
  });
  afterEach(() => open.sandbox.close());

  it('answers all 20 operations', async () => {
    const isNorthAmerica = face.server === 'NA';
    const bank = isNorthAmerica ? 'accepted' : 'restricted';
    const record = isNorthAmerica ? 'approved' : 'restricted';
    expect(await walkThrough(open)).toEqual({
      processCreditCard: 'approved',
      processCreditCardWithCustomerCode: 'approved',
      createCustomerCodeAndProcessCreditCard: 'approved',
      processCreditCardRefundWithTransactionId: 'approved',
      processCreditCardBatch: 'accepted',
      getBatchProcessResultFile: 'approved',
      createCreditCardCustomerCode: 'approved',
      updateCreditCardCustomerCode: 'approved',
      deleteCustomerCode: 'approved',
      getCustomerCodeDetail: 'approved',
      getCustomerListByCreationTimeCSV: 'approved',
      getCustomerListByCreationTimeXML: 'approved',
      processACHEFT: bank,
      processACHEFTWithCustomerCode: bank,
      createCustomerCodeAndProcessACHEFT: bank,
      processACHEFTRefundWithTransactionId: bank,
      processACHEFTChargeBatch: bank,
      processACHEFTRefundBatch: bank,
      createACHEFTCustomerCode: record,
      updateACHEFTCustomerCode: record,
    } satisfies Record<OperationName, string>);
  });

  it.each(CURRENCIES)('takes its methods of payment in %s and no others', async (currency) => {
    for (const mop of ALL_MOPS) {
      const before = open.connections();
      const answer = await open.client.processCreditCard({ ...PAYMENT, mop, total: '25.00' }, { currency });
      const isTaken = face.accepted.includes(`${currency} ${mop}`);
      expect([mop, answer.kind], currency).toEqual([mop, isTaken ? 'approved' : 'restricted']);
      expect(open.connections() - before).toBe(isTaken ? 1 : 0);
    }
    const taken = face.accepted.filter((pair) => pair.startsWith(`${currency} `));
    expect(open.sandbox.books()).toHaveLength(taken.length);
  });

  it('hands out the result file of a card batch, row by row and masked', async () => {
    const { client, sandbox } = open;
    const rows = [cardRow(1), cardRow(2, { card: MAGIC_CARD, amount: '2.00' }), cardRow(1), 'too,short'];
    const taken = await client.processCreditCardBatch({ batchFile: Buffer.from(lines(rows)) });
    const batchId = taken.kind === 'accepted' ? taken.result.batchId : '';
    expect(await client.getBatchProcessResultFile({ batchId })).toEqual({
      kind: 'accepted',
      result: { batchId, file: null },
    });
    sandbox.clock.advance(2_000);
    const done = await client.getBatchProcessResultFile({ batchId });
    const file = done.kind === 'approved' ? done.result.file?.toString() : undefined;
    const masked = rows.map((row) => row.replace(CARD, '4***********2220').replace(MAGIC_CARD, '4***********1111'));
    const messages = ['OK: 678594:', 'REJECT: 15', 'Duplicated', 'Wrong Format'];
    expect(file).toBe(
      lines(
        masked.map((row, index) => `${row},${messages[index]}`),
        '\r\n',
      ),
    );
    expect(await client.getBatchProcessResultFile({ batchId: '99' })).toMatchObject({ kind: 'failed' });
  });
});

/** Calls each operation once, one after the other, and returns their outcomes. */
async function walkThrough({ client, sandbox }: OpenFace): Promise<Record<OperationName, string>> {
  const charge = await client.processCreditCard({ ...PAYMENT, total: '25.00' });
  const transactionId = idOf(charge);
  const card = { ...PERSON, ccNum: CARD, ccExp: '12/35', total: '5.00' };
  const created = await client.createCustomerCodeAndProcessCreditCard(card, VISA);
  const bank = await client.processACHEFT({ ...BANK, total: '25.00' });
  const createdBank = await client.createCustomerCodeAndProcessACHEFT({ ...PERSON, ...BANK, total: '5.00' });
  const bankCode = codeOf(createdBank);
  const byBankCode = { customerCode: bankCode, total: '6.00' };
  const batch = await client.processCreditCardBatch({ batchFile: Buffer.from(cardRow(1)) });
  sandbox.clock.advance(2_000);
  const batchId = batch.kind === 'accepted' ? batch.result.batchId : '';
  const customerCode = codeOf(created);
  const answers = {
    processCreditCard: charge,
    createCustomerCodeAndProcessCreditCard: created,
    processACHEFT: bank,
    createCustomerCodeAndProcessACHEFT: createdBank,
    processCreditCardBatch: batch,
    getBatchProcessResultFile: await client.getBatchProcessResultFile({ batchId }),
    processCreditCardWithCustomerCode: await client.processCreditCardWithCustomerCode(
      { customerCode, total: '6.00' },
      VISA,
    ),
    processCreditCardRefundWithTransactionId: await client.processCreditCardRefundWithTransactionId({
      transactionId,
      total: '-5.00',
    }),
    processACHEFTWithCustomerCode: await client.processACHEFTWithCustomerCode(byBankCode),
    processACHEFTRefundWithTransactionId: await client.processACHEFTRefundWithTransactionId({
      transactionId: idOf(bank),
      total: '-5.00',
    }),
    processACHEFTChargeBatch: await client.processACHEFTChargeBatch({ batchFile: Buffer.from(achRow(1)) }),
    processACHEFTRefundBatch: await client.processACHEFTRefundBatch({
      batchFile: Buffer.from(achRow(2, { amount: '-5.00' })),
    }),
    createCreditCardCustomerCode: await client.createCreditCardCustomerCode(NEW_CARD),
    createACHEFTCustomerCode: await client.createACHEFTCustomerCode({ ...PERSON, ...BANK }),
    updateCreditCardCustomerCode: await client.updateCreditCardCustomerCode({ customerCode, city: 'Salem' }),
    updateACHEFTCustomerCode: await client.updateACHEFTCustomerCode({ customerCode: bankCode, city: 'Dover' }),
    getCustomerCodeDetail: await client.getCustomerCodeDetail({ customerCode }),
    getCustomerListByCreationTimeCSV: await client.getCustomerListByCreationTimeCSV(DAY),
    getCustomerListByCreationTimeXML: await client.getCustomerListByCreationTimeXML(DAY),
    deleteCustomerCode: await client.deleteCustomerCode({ customerCode }),
  };
  const kinds = Object.entries(answers).map(([operation, { kind }]) => [operation, kind]);
  return Object.fromEntries(kinds) as Record<OperationName, string>;
}

describe.each(FACES)('the records of the $server face', (face) => {
  let open: OpenFace;
  beforeEach(async () => {
    open = await openFace(face);
  });
  afterEach(() => open.sandbox.close());

  it('keeps a card record from its creation to its deletion', async () => {
    const { client } = open;
    const customerCode = codeOf(await client.createCreditCardCustomerCode(NEW_CARD));
    expect(customerCode).toMatch(/^A\d{8}$/);
    const record = {
      customerCode,
      ...RECORD,
      recurring: {
        active: 'true',
        amount: '5.00',
        beginDate: '2026-07-01T00:00:00',
        endDate: '2031-06-30T00:00:00',
        scheduleType: 'Monthly',
        scheduleDate: '28',
      },
      payment: {
        kind: 'card',
        creditCardCustomerName: 'Ada Byron',
        mop: 'VISA',
        creditCardNum: '4***********2220',
        creditCardExpiry: '12/35',
      },
    };
    expect(await client.getCustomerCodeDetail({ customerCode })).toEqual({
      kind: 'approved',
      result: { customer: record },
    });
    const change = { customerCode, ...SCHEDULE, city: 'Salem', creditCardExpiry: '11/36' };
    expect(codeOf(await client.updateCreditCardCustomerCode(change))).toBe(customerCode);
    const changed = { ...record, city: 'Salem', payment: { ...record.payment, creditCardExpiry: '11/36' } };
    expect(await client.getCustomerListByCreationTimeXML(DAY)).toEqual({
      kind: 'approved',
      result: { customers: [changed] },
    });
    const newNumber = { customerCode, ...SCHEDULE, creditCardNum: MAGIC_CARD, updateCreditCardNum: true };
    expect((await client.updateCreditCardCustomerCode(newNumber)).kind).toBe('approved');
    const detail = await client.getCustomerCodeDetail({ customerCode });
    expect(detail).toMatchObject({ result: { customer: { payment: { creditCardNum: '4***********1111' } } } });
    expect((await client.deleteCustomerCode({ customerCode })).kind).toBe('approved');
    expect((await client.getCustomerCodeDetail({ customerCode })).kind).toBe('failed');
    expect(await client.getCustomerListByCreationTimeXML(DAY)).toMatchObject({ result: { customers: [] } });
  });

  it('switches a stored schedule off by an update that does not tell of it', async () => {
    const { client } = open;
    const customerCode = codeOf(await client.createCreditCardCustomerCode(NEW_CARD));
    expect(await recurringColumn(open)).toEqual(['true']);
    await client.updateCreditCardCustomerCode({ customerCode, ...SCHEDULE, city: 'Salem' });
    expect(await recurringColumn(open)).toEqual(['true']);
    await client.updateCreditCardCustomerCode({ customerCode, city: 'Dover' });
    expect(await recurringColumn(open)).toEqual(['false']);
  });
});

/** Returns the `Recurring` column of the list, one value per record. */
async function recurringColumn({ client }: OpenFace): Promise<(string | undefined)[]> {
  const list = await client.getCustomerListByCreationTimeCSV(DAY);
  const [head = '', ...rows] = list.kind === 'approved' ? list.result.csv.trimEnd().split('\r\n') : [];
  const place = head.split(',').indexOf('Recurring') - head.split(',').length;
  return rows.map((row) => row.split(',').at(place));
}
