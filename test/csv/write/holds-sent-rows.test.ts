import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LayoutName } from '../../../schemas/layouts.ts';
import { holdsSentRows } from '../../../src/csv/write/holds-sent-rows.ts';
import { readCanonical } from '../../../src/csv/read/read-canonical.ts';
import { lastFour } from '../../../src/kernel/mask.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import type { SentRow } from '../../../src/rows/rows.ts';
import {
  ACCOUNT_NUMBER,
  cellsOf,
  LAYOUT_NAMES,
  sentRow,
  sentTextOf,
  VISA,
} from '../../reconcile/support/result-rows.ts';

/** The rows of a batch, as sent and as the ledger has them. */
type Batch = { layout: LayoutName; body: Buffer; sent: SentRow[] };

const someBatch = fc.constantFrom(...LAYOUT_NAMES).chain((layout) => {
  const row = fc.record({
    invoice: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 _é山-]{0,12}$/),
    amountCents: fc.integer({ min: -99_999_999, max: 99_999_999 }),
    customerCode: fc.constantFrom('A1', 'A10000001'),
    accountNumber: fc.constantFrom('1234', '1234567', '12345678', ACCOUNT_NUMBER),
    name: fc.constantFrom('Ada', 'é', ''),
  });
  return fc.array(row, { minLength: 1, maxLength: 6 }).map((rows): Batch => {
    const sent = rows.map(({ invoice, amountCents, customerCode, accountNumber }, index) => {
      const number = layout === 'ach' ? accountNumber : VISA;
      const part = { line: index * 3 + 2, invoice, amountCents };
      return sentRow(
        layout,
        layout.endsWith('code') ? { ...part, customerCode } : { ...part, lastFour: lastFour(number) },
      );
    });
    const lines = rows.map(({ accountNumber, name, ...row }) =>
      cellsOf(layout, { ...row, amount: formatCents(row.amountCents), accountNumber, firstName: name, comment: name }),
    );
    return { layout, body: Buffer.from(lines.map((cells) => cells.join(',')).join('\n')), sent };
  });
});

/** Answers the same question row by row. */
function holdsByRows({ layout, body, sent }: Batch): boolean {
  try {
    const rows = readCanonical(body, layout);
    return (
      rows.length === sent.length &&
      sent.every((row, index) => {
        const { invoice, customerCode, amountCents, number } = rows[index]!;
        const isSame = invoice === row.invoice && customerCode === row.customerCode && amountCents === row.amountCents;
        return isSame && lastFour(number) === row.lastFour;
      })
    );
  } catch {
    return false;
  }
}

const holds = ({ layout, body, sent }: Batch) => holdsSentRows(body, layout, sentTextOf(sent));

describe('holdsSentRows', () => {
  it('knows the rows of a batch', () => {
    fc.assert(fc.property(someBatch, holds));
  });

  it('says yes to no body that is not its rows, whatever byte is changed, put in or taken out', () => {
    const seen = { yes: 0, no: 0 };
    const byte = fc.constantFrom(...Buffer.from(' ,\n\r"-.019A\0'), 0x80, 0xc3);
    const change = fc.tuple(fc.nat(2_000), fc.constantFrom(0, 1), fc.array(byte, { maxLength: 2 }));
    fc.assert(
      fc.property(someBatch, change, (batch, [place, taken, added]) => {
        const bytes = [...batch.body];
        bytes.splice(place % bytes.length, taken, ...added);
        const changed = { ...batch, body: Buffer.from(bytes) };
        const says = holds(changed);
        seen[says ? 'yes' : 'no'] += 1;
        if (says) expect(holdsByRows(changed)).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(seen.yes).toBeGreaterThan(80);
    expect(seen.no).toBeGreaterThan(80);
  });

  const change: readonly (readonly [string, Partial<SentRow>])[] = [
    ['another invoice', { invoice: 'INV-2' }],
    ['a longer invoice', { invoice: 'INV-10' }],
    ['another amount', { amountCents: 2_501 }],
    ['an amount of the other sign', { amountCents: -2_500 }],
    ['another last four', { lastFour: '2221' }],
    ['no last four', { lastFour: '' }],
    ['a customer code that the layout does not have', { customerCode: 'A1' }],
    ['a comma in the invoice', { invoice: 'INV-1,' }],
  ];
  it.each(change)('says no when the ledger has %s', (_what, part) => {
    const body = Buffer.from(cellsOf('card').join(','));
    expect(holds({ layout: 'card', body, sent: [sentRow('card', {})] })).toBe(true);
    expect(holds({ layout: 'card', body, sent: [sentRow('card', part)] })).toBe(false);
  });

  it('says no to a row too few or too many, and to a line end behind the last', () => {
    const line = cellsOf('card').join(',');
    const row = sentRow('card', {});
    const says = (text: string, ...sent: SentRow[]) => holds({ layout: 'card', body: Buffer.from(text), sent });
    expect(says(line, row)).toBe(true);
    expect(says(line)).toBe(false);
    expect(says(line, row, row)).toBe(false);
    expect(says(`${line}\n`, row)).toBe(false);
    expect(says(`${line}\n${line}`, row)).toBe(false);
  });
});
