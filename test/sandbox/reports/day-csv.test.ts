import { describe, expect, it } from 'vitest';
import { dayCsv } from '../../../src/sandbox/reports/day-csv.ts';
import { faceOf } from '../../../src/sandbox/reports/face.ts';
import { bankEntry, journalEntry } from '../support/journal-entry.ts';

const NA = faceOf({ server: 'NA' });
const CARD_TITLES =
  'Invoice,Date,Agent,Customer Code,CCType,First Name, Last Name, Card Number, Expire, Total, Result, Detail,Transaction ID\r\n';
const BANK_TITLES =
  'Invoice,Date,Agent,Customer Code,Account Type,First Name, Last Name, Account Number, Total, Result, Detail,Transaction ID\r\n';

describe('dayCsv', () => {
  it('writes card payments as the service does', () => {
    expect(dayCsv('card', [journalEntry({ customerCode: 'A10000001' })], NA)).toBe(
      `${CARD_TITLES}INV-1,06/15/2017 10:11:12,TEST88,"A10000001",VISA,"Ada","Byron",'4***********2220,'12/20,5.00,OK:678594:, ,A9000001\r\n`,
    );
  });

  it('writes bank payments in analogy, without an expiry', () => {
    expect(dayCsv('bank', [bankEntry()], NA)).toBe(
      `${BANK_TITLES}INV-1,06/15/2017 10:11:12,TEST88,"Quick Client",CHECKING,"Ada","Byron",'0*********************0001,5.00,OK:555555:, ,A9000001\r\n`,
    );
  });

  it('writes the day first on the UK server', () => {
    expect(dayCsv('card', [journalEntry()], faceOf({ server: 'UK' }))).toContain(',15/06/2017 18:11:12,');
  });

  it('has titles without rows', () => {
    expect(dayCsv('card', [], NA)).toBe(CARD_TITLES);
    expect(dayCsv('bank', [], NA)).toBe(BANK_TITLES);
  });

  it('writes a refund with its sign', () => {
    expect(dayCsv('card', [journalEntry({ amountCents: -1 })], NA)).toContain(",'12/20,-0.01,");
  });

  it('keeps what payers wrote within its cell and its row', () => {
    const hostile = journalEntry({ firstName: '=cmd|"x"', lastName: 'a\r\nb,c', payment: '@a,b', invoice: '1,"2"' });
    expect(dayCsv('card', [hostile], NA).split('\r\n')).toEqual([
      CARD_TITLES.trim(),
      `"1,""2""",06/15/2017 10:11:12,TEST88,"Quick Client","'@a,b","'=cmd|""x""","a b,c",'4***********2220,'12/20,5.00,OK:678594:, ,A9000001`,
      '',
    ]);
  });
});
