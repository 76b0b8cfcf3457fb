import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FACES, type OpenFace, openFace } from './support/contract-face.ts';
import { codeOf, DAY, MAGIC_CARD, NEW_CARD, RECORD, SCHEDULE } from './support/contract-values.ts';

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

  it('lists the records of a range of time, the oldest first', async () => {
    const { client, sandbox } = open;
    const first = codeOf(await client.createCreditCardCustomerCode({ ...NEW_CARD, firstName: 'One' }));
    sandbox.clock.set('2026-06-20T10:00:00Z');
    const second = codeOf(await client.createCreditCardCustomerCode({ ...NEW_CARD, customerCode: 'TM1001' }));
    expect(second).toBe('TM1001');
    const from15 = '2026-06-15T00:00:00Z';
    const to21 = '2026-06-21T00:00:00Z';
    const ranges = [
      [from15, '2026-06-19T00:00:00Z', '', [first]],
      ['2026-06-19T00:00:00Z', to21, '', [second]],
      [from15, to21, '', [first, second]],
      [from15, to21, second, [second]],
      ['2026-06-21T00:00:00Z', '2026-06-30T00:00:00Z', '', []],
    ] as const;
    for (const [fromDate, toDate, customerCode, codes] of ranges) {
      const range = { fromDate, toDate, customerCode };
      const list = await client.getCustomerListByCreationTimeXML(range);
      const found = list.kind === 'approved' ? list.result.customers : undefined;
      expect(found?.map((customer) => customer.customerCode)).toEqual(codes);
      const csv = await client.getCustomerListByCreationTimeCSV(range);
      const [head, ...rows] = csv.kind === 'approved' ? csv.result.csv.trimEnd().split('\r\n') : [];
      expect(head).toMatch(/^Customer Code,First Name,Last Name,/);
      expect(rows.map((row) => row.split(',')[0])).toEqual(codes);
    }
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
