import { describe, expect, it } from 'vitest';
import { scanAmount } from '../../../src/csv/scan/scan-number.ts';
import { scanRules } from '../../../src/csv/scan/scan-column.ts';
import { rulesWith } from '../support.ts';
import { scanCellOf } from './support.ts';

function scan(text: string, settings: Parameters<typeof rulesWith>[0] = {}) {
  const rules = scanRules(rulesWith(settings));
  return scanCellOf(text, (scan, at) => scanAmount(scan, at, rules));
}

describe('scanAmount', () => {
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
