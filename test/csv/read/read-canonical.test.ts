import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLUMNS, columnsOf, type LayoutName, LAYOUTS } from '../../../schemas/layouts.ts';
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

const read = (text: string, options = {}) => readResultFile(Buffer.from(text), options);
const ROW = '1001,Ada,Byron,CHECKING,0*********************0001,5.00,Gift';
const CELLS = ROW.split(',');

describe('readResultFile', () => {
  it.each([
    ['CRLF and a final one', `${ROW},Received\r\n${ROW},Received\r\n`],
    ['LF', `${ROW},Received\n${ROW},Received\n`],
    ['blank lines', `\r\n${ROW},Received\r\n\r\n  \r\n${ROW},Received\r\n\r\n`],
    ['a byte order mark', `\ufeff${ROW},Received\r\n${ROW},Received\r\n`],
    ['quotes around cells', `"${CELLS.join('","')}","Received"\r\n${ROW},"Received"\r\n`],
    ['spaces around cells', `${CELLS.join(' , ')} , Received \r\n${ROW}, Received\r\n`],
  ])('reads %s', (_, text) => {
    expect(read(text)).toEqual([
      { position: 1, cells: CELLS, message: 'Received' },
      { position: 2, cells: CELLS, message: 'Received' },
    ]);
  });

  it.each([
    ['a,b,Wrong Format', ['a', 'b'], 'Wrong Format'],
    ['dGVzdA==,Wrong Format', ['dGVzdA=='], 'Wrong Format'],
    ['Wrong Format', [], 'Wrong Format'],
    ['a,b,', ['a', 'b'], ''],
    ['a,"b, c",OK', ['a', 'b, c'], 'OK'],
    ['a,5" pipe,OK', ['a', '5" pipe'], 'OK'],
    ['a,"b,OK', ['a', '"b'], 'OK'],
  ])('reads the row %s as it is', (text, cells, message) => {
    expect(read(`${text}\r\n${ROW},Received\r\n`)).toEqual([
      { position: 1, cells, message },
      { position: 2, cells: CELLS, message: 'Received' },
    ]);
  });

  it.each(['\n', '\r\n', '\r'])('says of the last row that its line has no end, after %j', (end) => {
    expect(read(`${ROW},Received${end}${ROW},REJECT: 1`)).toEqual([
      { position: 1, cells: CELLS, message: 'Received' },
      { position: 2, cells: CELLS, message: 'REJECT: 1', endsOpen: true },
    ]);
    expect(read(`${ROW},REJECT: 1${end}`)[0]).not.toHaveProperty('endsOpen');
  });

  it('takes commas for part of the message when the number of columns is known', () => {
    const text = `${ROW},REJECT: 15, call the bank\r\na,b,Wrong Format\r\n`;
    expect(read(text, { columnCount: 7 })).toEqual([
      { position: 1, cells: CELLS, message: 'REJECT: 15,call the bank' },
      { position: 2, cells: ['a', 'b'], message: 'Wrong Format' },
    ]);
  });

  it('stops at the row cap', () => {
    const text = `${ROW},Received\r\n`.repeat(50);
    expect(read(text, { maxRows: 12 })).toHaveLength(12);
    expect(read(text)).toHaveLength(50);
  });

  it('reads bytes that are not UTF-8 all the same', () => {
    const rows = readResultFile(Buffer.from('1001,é,5.00,OK\r\n', 'latin1'));
    expect(rows).toEqual([{ position: 1, cells: ['1001', 'é', '5.00'], message: 'OK' }]);
  });

  it('has no rows when there is nothing', () => {
    expect(read('')).toEqual([]);
    expect(read('\r\n')).toEqual([]);
  });
});
