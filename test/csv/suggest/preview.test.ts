import { describe, expect, it } from 'vitest';
import { type Preview, previewSample } from '../../../src/csv/suggest/preview.ts';
import { encodeLines, EXAMPLE_FILES, type ExampleName, exampleProfile } from '../profile/support/example-files.ts';
import { PLACES } from '../profile/support/places.ts';
import { TODAY } from '../profile/support/made-payments.ts';

function previewExample(name: ExampleName, most = 20): Promise<Preview> {
  const profile = exampleProfile(name);
  const bytes = encodeLines(
    EXAMPLE_FILES[name].map(([line]) => line),
    profile,
  );
  return previewSample(bytes, profile, { ...PLACES[name], today: TODAY }, most);
}

describe('previewSample', () => {
  it('shows each cell, what it is sent as, and what is not sent', async () => {
    const { rows } = await previewExample('quickbooks-dues');
    const [first] = rows;
    expect(first!.line).toBe(6);
    expect(
      first!.cells
        .filter(({ sent }) => sent.length > 0)
        .map(({ title, cell, sent }) => [title, cell, ...sent.map(({ value }) => value)]),
    ).toEqual([
      ['Date', '06/15/2026', '06/15/2026'],
      ['Num', '1001', '1001'],
      ['Customer', 'Byron, Ada', 'Ada', 'Byron'],
      ['Billing Street', '1 Mill Lane', '1 Mill Lane'],
      ['Billing City', 'Troy', 'Troy'],
      ['Billing State', 'NY', 'NY'],
      ['Billing ZIP', '12180', '12180'],
      ['Card Type', 'Visa', 'VISA'],
      ['Card Number', '***************2220', '************2220'],
      ['Card Exp', '12/2035', '12/35'],
      ['Amount', '1,200.00', '1200.00'],
    ]);
    expect(first!.cells.filter(({ sent }) => sent.length === 0).map(({ title }) => title)).toEqual([
      'Transaction Type',
      'Memo/Description',
      'Open Balance',
    ]);
  });

  it('adds up the payments, and names what is left out', async () => {
    const { payments, skipped, totals } = await previewExample('quickbooks-dues');
    expect(payments).toEqual({ rows: 2, cents: 128_000 });
    expect(skipped).toEqual([{ name: 'Transaction Type: Payment', rows: 1, cents: -6_000 }]);
    expect(totals).toEqual(['TOTAL | 1,280.00 | 1,280.00']);
  });

  it('shows the extreme rows before others, and says why', async () => {
    const { rows } = await previewExample('quickbooks-dues', 1);
    expect(rows.map(({ line }) => line)).toEqual([6, 7]);
    expect(rows[0]!.why).toEqual([
      'first',
      'longest',
      'largest',
      'word "invoice"',
      'word "visa"',
      'amount like 9,9.99',
    ]);
    expect(rows[1]!.why).toEqual(['last', 'smallest', 'word "mastercard"', 'amount like 9.99']);
  });

  it('shows parts of an account and constants, masked', async () => {
    const { rows } = await previewExample('bank-ach');
    const shown = JSON.stringify(rows);
    expect(rows[0]!.constants).toContainEqual({ title: 'Comment', value: 'Monthly dues' });
    expect(shown).not.toContain('021000021');
    expect(shown).not.toContain('40000000');
  });
});
