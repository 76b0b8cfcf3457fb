import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLUMNS } from '../../../schemas/columns.ts';
import { columnsOf, LAYOUTS, type LayoutName } from '../../../schemas/layouts.ts';
import { canonicalBytes } from '../../../src/csv/write/packed-rows.ts';
import { readCanonical } from '../../../src/csv/read/read-canonical.ts';
import { readResultFile } from '../../../src/csv/read/read-result-file.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import { achLine, checkAll, OTHER_VISA, VISA } from '../support.ts';

/** Generates valid rows as users may write them: with quoted cells, and spaces before cells. */
function validLine(layout: LayoutName): fc.Arbitrary<string> {
  const text = fc.string({ unit: fc.constantFrom('a', 'É', ' ', ',', "'", '"', '山'), maxLength: 12 });
  const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 _-]{0,20}$/);
  const amount = fc.integer({ min: 1, max: 99_999_999 }).map(formatCents);
  const makeCell = {
    date: fc.constantFrom('06/15/2026', '1/2/2027'),
    invoice: word,
    text: text.filter((value) => value.trim() === value),
    amount,
    mop: fc.constantFrom('VISA', 'visa'),
    cardNumber: fc.constantFrom(VISA, OTHER_VISA),
    expiry: fc.constantFrom('1228', '01/30'),
    accountType: fc.constantFrom('CHECKING', 'savings'),
    accountNumber: fc.stringMatching(/^[0-9]{12,26}$/),
    customerCode: fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/),
  };
  const plainText = ['state', 'zipCode'];
  const cells = columnsOf(layout).map((column) => {
    return (plainText.includes(column) ? word : makeCell[COLUMNS[column].kind]).map(quoted);
  });
  return fc.tuple(...cells).map((cells) => cells.join(','));
}

function quoted(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : ` ${cell}`;
}

describe('readCanonical', () => {
  it.each(Object.keys(LAYOUTS) as LayoutName[])(
    'reads back what was written for %s, and the service’s result of it too',
    async (layout) => {
      const operation = LAYOUTS[layout].operations[0];
      const account = { server: 'NA', country: layout === 'card-ca' ? 'CA' : 'US', currency: 'USD' } as const;
      await fc.assert(
        fc.asyncProperty(fc.array(validLine(layout), { minLength: 1, maxLength: 8 }), async (lines) => {
          const folder = { duplicateRows: 'warn' } as const;
          const checked = await checkAll(`${lines.join('\r\n')}\r\n`, { operation, account, folder });
          expect(checked).toMatchObject({ layout, records: lines.length });
          // Random text may look like a card number; such rows are invalid and left out.
          const rows = checked.rows.flatMap((row) => row.payment ?? []);
          if (rows.length === 0) return;
          const bytes = canonicalBytes(rows);
          expect(readCanonical(bytes, layout)).toEqual(
            rows.map(({ invoice, customerCode, amountCents, number }) => ({
              invoice,
              customerCode,
              amountCents,
              number,
            })),
          );
          expect(bytes.toString().split('\n')).toEqual(rows.map((row) => row.canonical.join(',')));
          const result = `${bytes.toString().replaceAll('\n', ',OK: 678594:\r\n')},OK: 678594:\r\n`;
          expect(readResultFile(Buffer.from(result))).toEqual(
            rows.map((row, index) => ({ position: index + 1, cells: row.canonical, message: 'OK: 678594:' })),
          );
        }),
        { numRuns: 15 },
      );
    },
  );

  it.each([
    ['too few columns', 'INV-1,Ada,5.00'],
    ['a line end at the end', `${achLine()}\n`],
    ['an amount that is not canonical', achLine({ amount: '5' })],
    ['an amount with a comma', achLine({ amount: '5,00' })],
    ['nothing', ''],
  ])('refuses %s', (_, body) => {
    expect(() => readCanonical(Buffer.from(body), 'ach')).toThrow(expect.objectContaining({ code: 'BODY_MISMATCH' }));
  });

  it('refuses bytes that are not UTF-8', () => {
    const bytes = Buffer.from(achLine({ comment: 'é' }), 'latin1');
    expect(() => readCanonical(bytes, 'ach')).toThrow(expect.objectContaining({ code: 'BODY_MISMATCH' }));
  });
});
