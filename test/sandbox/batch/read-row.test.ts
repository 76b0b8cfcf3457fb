import { describe, expect, it } from 'vitest';
import { readRow } from '../../../src/sandbox/batch/read-row.ts';

const ACCOUNT = '02100002100000000000000001';

describe('readRow', () => {
  it('reads a bank row and masks its account', () => {
    expect(read('ach-charge', `1001,Ada,Byron,CHECKING,${ACCOUNT},5.00,Gift`)).toEqual({
      layout: 'ach',
      cells: {
        invoice: '1001',
        firstName: 'Ada',
        lastName: 'Byron',
        accountType: 'CHECKING',
        accountNumber: ACCOUNT,
        amount: '5.00',
        comment: 'Gift',
      },
      invoice: '1001',
      customerCode: '',
      number: ACCOUNT,
      amountCents: 500,
      maskedCells: ['1001', 'Ada', 'Byron', 'CHECKING', '0*********************0001', '5.00', 'Gift'],
      shownInvoice: '1001',
      shownCustomerCode: '',
      lastFour: '0001',
    });
  });

  it.each([
    ['card', '06/15/2026,1,A,B,S,C,ST,1,5.00,VISA,4222222222222220,1230', 'card', 10],
    ['card', '06/15/2026,1,A B,5.00,VISA,4222222222222220,1230', 'card-ca', 5],
    ['ach-refund', `1,A,B,SAVING,${ACCOUNT},-5.00,x`, 'ach', 4],
  ] as const)('masks the number column of %s rows: %s', (kind, line, layout, index) => {
    const row = read(kind, line);
    const sent = line.split(',');
    expect(row.layout).toBe(layout);
    expect(row.maskedCells[index]).toMatch(/^\d\*+\d{4}$/);
    expect(row.maskedCells.filter((_, place) => place !== index)).toEqual(sent.filter((_, place) => place !== index));
  });

  it.each([
    ['card', 'card-code'],
    ['ach-charge', 'ach-code'],
    ['ach-refund', 'ach-code'],
  ] as const)('reads four columns of %s as %s, with nothing to mask', (kind, layout) => {
    const row = read(kind, '1001,A10000001,5.00,Gift');
    expect(row).toMatchObject({ layout, customerCode: 'A10000001', number: '', lastFour: '' });
    expect(row.maskedCells).toEqual(['1001', 'A10000001', '5.00', 'Gift']);
  });

  it('leaves a row of no layout as it is', () => {
    expect(read('card', 'a,b')).toMatchObject({
      layout: undefined,
      invoice: '',
      maskedCells: ['a', 'b'],
      lastFour: '',
    });
  });

  it('shows no card number that stands in the wrong column', () => {
    const row = read('ach-charge', '4222222222222220,4111111111111111,5.00,x');
    expect(row.shownInvoice).toBe('************2220');
    expect(row.shownCustomerCode).toBe('************1111');
    expect(row.customerCode).toBe('4111111111111111');
  });

  it.each([
    ['5.00', 500],
    ['-5.00', -500],
    ['5', 500],
    ['$5.00', undefined],
    ['', undefined],
    ['1e3', undefined],
    ['9999999999999.00', undefined],
  ])('reads the amount %j as %j cents', (amount, amountCents) => {
    expect(read('ach-charge', `1,C,${amount},x`).amountCents).toBe(amountCents);
  });
});

function read(kind: 'card' | 'ach-charge' | 'ach-refund', line: string) {
  return readRow(kind, line.split(','));
}
