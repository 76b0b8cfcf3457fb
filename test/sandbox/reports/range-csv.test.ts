import { describe, expect, it } from 'vitest';
import { faceOf } from '../../../src/sandbox/reports/face.ts';
import { rangeCsv } from '../../../src/sandbox/reports/range-csv.ts';
import { bankEntry, journalEntry } from '../support/journal-entry.ts';

const NA = faceOf({ server: 'NA' });
const TITLES =
  'Transaction ID,Invoice Number,Date Time,Client Code,Customer Code,Method of Payment,Amount,Result,Comment,Journal Id';

describe('rangeCsv', () => {
  it('writes a card payment', () => {
    expect(rangeCsv([journalEntry({ customerCode: 'A10000001' })], NA)).toBe(
      `${TITLES}\r\nA9000001,INV-1,06/15/2017 10:11:12,TEST88,"A10000001",VISA,5.00,OK:678594:,"Gift",2835349505\r\n`,
    );
  });

  it('writes a bank payment that was rejected at once, which has no id', () => {
    expect(rangeCsv([bankEntry({ transactionId: '', result: 'REJ:40', comment: '' })], NA)).toBe(
      `${TITLES}\r\n,INV-1,06/15/2017 10:11:12,TEST88,"Quick Client",ACHEFT,5.00,REJ:40,"",\r\n`,
    );
  });

  it('has one more column on the UK server, and writes the day first', () => {
    expect(rangeCsv([journalEntry({ comment: '' })], faceOf({ server: 'UK' }))).toBe(
      `${TITLES},ACH Ref.\r\nA9000001,INV-1,15/06/2017 18:11:12,TEST88,"Quick Client",VISA,5.00,OK:678594:,"",2835349505,\r\n`,
    );
  });

  it('has titles without rows', () => {
    expect(rangeCsv([], NA)).toBe(`${TITLES}\r\n`);
  });

  it('keeps what payers wrote within its cell and its row', () => {
    const row = rangeCsv([journalEntry({ comment: '=1+1",x\n', invoice: 'a\nb' })], NA).split('\r\n')[1];
    expect(row).toBe(
      `A9000001,a b,06/15/2017 10:11:12,TEST88,"Quick Client",VISA,5.00,OK:678594:,"'=1+1"",x ",2835349505`,
    );
  });
});
