import { describe, expect, it } from 'vitest';
import type { LayoutName } from '../../../schemas/layouts.ts';
import { compileRowScan } from '../../../src/csv/scan/compile-row-scan.ts';
import { DECLINED, newRowScan } from '../../../src/csv/scan/row-scan.ts';
import { ACCOUNT, achLine, cardLine, rulesWith, VISA } from '../support.ts';

const ACH = rulesWith({ operation: 'ach-charge' });

function scan(layout: LayoutName, line: string, rules = rulesWith()) {
  const scan = { ...newRowScan(), input: Buffer.from(`first\n${line}\n`), output: Buffer.alloc(1_000) };
  const end = compileRowScan(layout, rules)(scan, 6);
  if (end === DECLINED) return undefined;
  const at = (start: number, end: number) => scan.output.toString('utf8', start, end);
  return {
    sent: at(0, scan.to),
    rest: scan.input.toString('utf8', end),
    key: [at(scan.invoiceStart, scan.invoiceEnd), scan.cents, at(scan.payerStart, scan.payerEnd)],
  };
}

describe('compileRowScan', () => {
  it.each([
    ['card', cardLine(), rulesWith(), ['INV-1', 2_500, VISA]],
    ['card-ca', `06/15/2026,INV-1,Ada Byron,5.00,VISA,${VISA},1228`, rulesWith(), ['INV-1', 500, VISA]],
    ['card-code', 'INV-1,A1,5.00,', rulesWith(), ['INV-1', 500, 'A1']],
    ['ach', achLine(), ACH, ['INV-1', 500, ACCOUNT]],
    ['ach-code', 'INV-1,A1,5.00,Gift', ACH, ['INV-1', 500, 'A1']],
  ] as const)('takes a sound row of %s', (layout, line, rules, key) => {
    expect(scan(layout, line, rules)).toEqual({ sent: `${line}\n`, rest: '\n', key });
  });

  it('writes each cell as it is sent', () => {
    const cells = {
      date: '6/5/2026',
      amount: '25',
      mop: 'visa',
      expiry: '12/28',
      firstName: ' Ada ',
      city: '"Troy, NY"',
    };
    const sent = cardLine({ date: '06/05/2026', city: 'Troy NY' });
    expect(scan('card', `${cardLine(cells)}\r`)).toMatchObject({ sent: `${sent}\n`, rest: '\r\n' });
  });

  it.each([
    ['a cell too few', cardLine().replace(',NY', '')],
    ['a cell too many', `${cardLine()},`],
    ['a brand that is not that of the number', cardLine({ mop: 'MC' })],
    ['the number of the row in another column', cardLine({ firstName: VISA })],
    ['a quote behind a cell', cardLine({ city: '"Troy"x' })],
    ['a quote within a cell', cardLine({ city: '"Tr""oy"' })],
    ['a quote that is not closed', cardLine({ city: '"Troy' })],
    ['another character set', cardLine({ city: 'Zürich' })],
  ])('declines %s', (_, line) => {
    expect(scan('card', line)).toBeUndefined();
  });

  it('declines an account number that may stand in a text, but not a short one', () => {
    expect(scan('ach', achLine({ accountNumber: '12345678', comment: 'of 12-345-678' }), ACH)).toBeUndefined();
    expect(scan('ach', achLine({ accountNumber: '1234', comment: 'of 1234' }), ACH)?.sent).toContain('of 1234');
  });
});
