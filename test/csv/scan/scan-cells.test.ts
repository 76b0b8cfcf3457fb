import { describe, expect, it } from 'vitest';
import { accountTypeWords, mopWords, scanColumn, scanRules, scanWord } from '../../../src/csv/scan/scan-column.ts';
import {
  markOfDay,
  scanAccountNumber,
  scanAmount,
  scanCardNumber,
  scanDate,
  scanExpiry,
} from '../../../src/csv/scan/scan-number.ts';
import { rulesWith, scanCellOf } from '../support.ts';
import { isDay } from '../../../src/csv/rules/rule-of-column.ts';
import type { RowScan } from '../../../src/csv/scan/row-scan.ts';
import { brandOf } from '../../../src/csv/rules/card-brand.ts';
import type { ColumnName } from '../../../schemas/layouts.ts';
import { scanText } from '../../../src/csv/scan/scan-text.ts';

describe('scanCardNumber', () => {
  it.each([
    ['4222222222222220', 422_222],
    ['378282246310005', 378_282],
    ['6799990100000000019', 679_999],
  ])('reads %s', (text, cardStart) => {
    expect(scanCellOf(`${text},`, scanCardNumber)).toMatchObject({ sent: text, rest: ',', scan: { cardStart } });
  });

  it.each(['4222222222222221', '42222222222', '67999901000000000190', '', 'x'])('declines %j', (text) => {
    expect(scanCellOf(`${text},`, scanCardNumber)).toBeUndefined();
  });
});

describe('scanAccountNumber', () => {
  function scan(text: string, routingCheck: boolean) {
    const rules = scanRules(rulesWith({ folder: { routingCheck } }));
    return scanCellOf(`${text},`, (scan, at) => scanAccountNumber(scan, at, rules));
  }

  it.each([
    ['1234', false],
    ['02100002100000000000000001', false],
    ['000000000', false],
    ['0210000217', true],
    ['026009593123', true],
  ])('reads %s (routing check %s)', (text, routingCheck) => {
    expect(scan(text, routingCheck)).toMatchObject({ sent: text, rest: ',' });
  });

  it.each([
    ['123', false],
    ['11100002512345600000', false],
    ['021000021000000000000000011', false],
    ['021000021', true],
    ['0030000200000000040000001', false],
    ['x', false],
    ['02100002', true],
    ['021000022', true],
    ['000000000001', true],
  ])('declines %s (routing check %s)', (text, routingCheck) => {
    expect(scan(text, routingCheck)).toBeUndefined();
  });
});

describe('scanAmount', () => {
  function scan(text: string, settings: Parameters<typeof rulesWith>[0] = {}) {
    const rules = scanRules(rulesWith(settings));
    return scanCellOf(text, (scan, at) => scanAmount(scan, at, rules));
  }

  it.each([
    ['25.00,x', '25.00', 2_500],
    ['5,x', '5.00', 500],
    ['5.5,x', '5.50', 550],
    ['0.05,x', '0.05', 5],
    ['9999999.99,x', '9999999.99', 999_999_999],
  ])('reads %s', (text, sent, cents) => {
    expect(scan(text)).toMatchObject({ sent, rest: ',x', scan: { cents } });
  });

  it.each(['', '0', '0.00', '05', '-5', '+5', '.5', '5.', '$5', '10000000', 'x'])(
    'declines %j or leaves something behind it',
    (text) => {
      const scanned = scan(`${text},`);
      expect(scanned === undefined || scanned.rest !== ',').toBe(true);
    },
  );

  it('leaves a third decimal behind, so that no comma follows', () => {
    expect(scan('5.005,')?.rest).toBe('5,');
  });

  it('takes refunds with their sign only', () => {
    expect(scan('-5.00', { operation: 'ach-refund' })).toMatchObject({ sent: '-5.00', scan: { cents: -500 } });
    expect(scan('5.00', { operation: 'ach-refund' })).toBeUndefined();
  });

  it('takes what a row may have at most, and not more', () => {
    expect(scan('10.00', { largestRowCents: 1_000 })?.sent).toBe('10.00');
    expect(scan('10.01', { largestRowCents: 1_000 })).toBeUndefined();
  });
});

describe('scan date', () => {
  const today = markOfDay(2026, 6, 15);
  const scan = (scan: RowScan, at: number) => scanDate(scan, at, { today });

  describe('scanDate', () => {
    it.each([
      ['06/15/2026', '06/15/2026'],
      ['6/5/2026', '06/05/2026'],
      ['06/21/2025', '06/21/2025'],
      ['5/01/2027', '05/01/2027'],
    ])('reads %s', (text, sent) => {
      expect(scanCellOf(`${text},x`, scan)).toMatchObject({ sent, rest: ',x' });
    });

    it.each(['02/29/2027', '13/01/2026', '04/31/2026', '0/1/2026', '1/0/2026', '1/1/1899', '1/1/2100', '06/15/26'])(
      'declines %s',
      (text) => {
        expect(scanCellOf(`${text},`, scan)).toBeUndefined();
      },
    );

    it.each(['', '06-15-2026', '/15/2026', '06//2026', '2026/06/15', 'x6/15/2026'])('declines %j', (text) => {
      expect(scanCellOf(`${text},`, scan)).toBeUndefined();
    });
  });

  describe('the mark of a day', () => {
    it('never lies closer to another one than the days themselves do', () => {
      const days: number[] = [];
      for (let year = 2023; year < 2029; year += 1)
        for (let month = 1; month <= 12; month += 1)
          for (let day = 1; day <= 31; day += 1) if (isDay(year, month, day)) days.push(markOfDay(year, month, day));
      expect(days).toHaveLength(6 * 365 + 2);
      expect(days.every((mark, index) => index === 0 || mark > days[index - 1]!)).toBe(true);
    });

    it('declines what may have to be noted, and hardly more', () => {
      expect(scanCellOf('06/16/2027,', scan)).toBeUndefined();
      expect(scanCellOf('06/14/2025,', scan)).toBeUndefined();
    });
  });
});

describe('scanExpiry', () => {
  const RULES = scanRules(rulesWith({ today: '2026-06-15' }));

  function scan(text: string) {
    return scanCellOf(text, (scan, at) => scanExpiry(scan, at, RULES));
  }

  it.each([
    ['12/28', '1228'],
    ['0626', '0626'],
    ['06/26', '0626'],
  ])('reads %s', (text, sent) => {
    expect(scan(`${text}\n`)).toMatchObject({ sent, rest: '\n' });
  });

  it.each(['05/26', '0526', '1328', '0028', '128', '', '12/', 'x228', '1/28'])('declines %j', (text) => {
    expect(scan(`${text}\n`)).toBeUndefined();
  });

  it('leaves a year of four digits behind, so that no comma follows', () => {
    expect(scan('12/2028\n')).toBeUndefined();
    expect(scan('12/3028\n')?.rest).toBe('28\n');
  });
});

describe('scan word', () => {
  const UK = { server: 'UK', country: 'UK', currency: 'EUR' } as const;

  function scan(text: string, words = accountTypeWords()) {
    return scanCellOf(`${text},`, (scan, at) => scanWord(scan, at, words));
  }

  describe('scanWord', () => {
    it.each([
      ['CHECKING', 'CHECKING'],
      ['savings', 'SAVING'],
      ['Saving', 'SAVING'],
    ])('reads %s', (text, sent) => {
      expect(scan(text)).toMatchObject({ sent, rest: ',' });
    });

    it.each(['', 'CHECK', '3AVING', 'x'])('declines %j', (text) => {
      expect(scan(text)).toBeUndefined();
    });

    it('leaves behind what makes it another word', () => {
      expect(scan('CHECKINGS')?.rest).toBe('S,');
    });

    it('knows the brand of a method of payment', () => {
      expect(scan('visa', mopWords(UK))).toMatchObject({ sent: 'VISA', scan: { brand: brandOf('VISA') } });
    });
  });

  describe('mopWords', () => {
    it('are those of the server that the currency of the account takes', () => {
      const wordsOf = (account: Parameters<typeof mopWords>[0]) => mopWords(account).map(({ sent }) => String(sent));
      expect(wordsOf(UK)).toEqual(['VISA', 'MC', 'AMX']);
      expect(wordsOf({ ...UK, currency: 'GBP' })).toEqual(['VISA', 'MC', 'AMX', 'MAESTR']);
      expect(wordsOf({ server: 'NA', country: 'CA', currency: 'CAD' })).toEqual(['VISA', 'MC', 'AMX']);
    });
  });
});

describe('scanText', () => {
  function scan(name: ColumnName, text: string, isQuoted = false) {
    const column = scanColumn(name, 3, rulesWith());
    return scanCellOf(text, (scan, at) => scanText(scan, at, column), { isQuoted });
  }

  it.each<[ColumnName, string, string]>([
    ['city', 'Troy', 'Troy'],
    ['city', 'Troy  ', 'Troy'],
    ['city', '', ''],
    ['city', 'x'.repeat(40), 'x'.repeat(40)],
    ['invoice', 'INV-7/a #1', 'INV-7/a #1'],
    ['invoice', 'Inv-17', 'Inv-17'],
    ['invoice', '123456789012', '123456789012'],
    ['street', '12 MAPLE-WOOD E', '12 MAPLE-WOOD E'],
    ['customerCode', 'A_b.c-9', 'A_b.c-9'],
  ])('reads %s %j', (name, text, sent) => {
    expect(scan(name, `${text},x`)).toMatchObject({ sent, rest: ',x' });
  });

  it.each<[ColumnName, string]>([
    ['invoice', ''],
    ['invoice', 'Dec-17'],
    ['invoice', '17-Dec'],
    ['city', 'x'.repeat(41)],
    ['city', '1234567890123'],
    ['city', '1234-5678 9012.3'],
    ['city', '#REF!'],
    ['city', '=1'],
    ['zipCode', '4E+10 '],
    ['zipCode', '1.5E-05'],
  ])('declines %s %j', (name, text) => {
    expect(scan(name, `${text},`)).toBeUndefined();
  });

  it.each(['Zürich', 'a"b', 'a\tb', '\u0000', 'a\u007f'])('stops before what it does not know: %j', (text) => {
    expect(scan('city', `${text},`)?.rest).not.toBe(',');
  });

  it('stops in a customer code before what is no part of one', () => {
    expect(scan('customerCode', 'C 1,')?.rest).toBe(' 1,');
  });

  it('makes a space of each comma in quotes, no two beside each other, and notes it', () => {
    const scanned = scan('city', 'Troy,, NY , "', true);
    expect(scanned).toMatchObject({ sent: 'Troy NY', rest: '"' });
    expect(scanned?.scan.replaced).toEqual([{ column: 3, start: 1, end: 13 }]);
  });

  it('leaves commas in quotes where they may not be replaced', () => {
    expect(scan('state', 'NY,"', true)?.rest).toBe(',"');
    expect(scan('invoice', 'N,Y"', true)?.rest).toBe(',Y"');
  });

  it.each<[ColumnName, string]>([
    ['state', 'ZZ'],
    ['state', 'New York'],
    ['state', 'ny'],
    ['zipCode', '2139'],
    ['zipCode', '21391234'],
  ])('declines an address that may be odd: %s %s', (name, text) => {
    expect(scan(name, `${text},`)).toBeUndefined();
    const abroad = scanColumn(name, 3, rulesWith({ account: { server: 'UK', country: 'UK', currency: 'GBP' } }));
    expect(scanCellOf(`${text},`, (scan, at) => scanText(scan, at, abroad))?.sent).toBe(text);
  });

  it('remembers the most digits of any text', () => {
    const column = scanColumn('city', 0, rulesWith());
    expect(scanCellOf('12,', (scan, at) => scanText(scan, at, column), { mostDigits: 1 })?.scan.mostDigits).toBe(2);
    expect(scanCellOf('12,', (scan, at) => scanText(scan, at, column), { mostDigits: 5 })?.scan.mostDigits).toBe(5);
  });
});
