import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitCells, splitQuoted } from '../../../src/csv/read/split-cells.ts';
import { COLUMNS, columnsOf, type LayoutName, LAYOUTS } from '../../../schemas/layouts.ts';
import { canonicalBytes } from '../../../src/csv/write/packed-rows.ts';
import { readCanonical } from '../../../src/csv/read/read-canonical.ts';
import { readResultFile } from '../../../src/csv/read/read-result-file.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import { achLine, checkAll, OTHER_VISA, VISA } from '../support.ts';

function read(...texts: string[]) {
  return splitCells(texts.map((text, index) => ({ number: index + 1, text, tooLong: false })));
}

describe('splitCells', () => {
  it.each([
    ['a,b,c', ['a', 'b', 'c']],
    ['a,,', ['a', '', '']],
    [' a , b ', [' a ', ' b ']],
    ['"a","b"', ['a', 'b']],
    ['a,"b,c",d', ['a', 'b,c', 'd']],
    ['a,"b ""c""",d', ['a', 'b "c"', 'd']],
    ['a, "b" ,c', ['a', 'b', 'c']],
    ['a,"",c', ['a', '', 'c']],
    ['="007",b', ['="007"', 'b']],
    ['a,="007"', ['a', '="007"']],
  ])('reads %s', (text, cells) => {
    expect(read(text)).toEqual([{ line: 1, cells }]);
  });

  it.each([
    ['a,b"c,d', 'STRAY_QUOTE'],
    ['a,"b"c,d', 'STRAY_QUOTE'],
    ['a,"b" c,d', 'STRAY_QUOTE'],
    ['5" pipe,b', 'STRAY_QUOTE'],
    ['a,"b', 'LINE_BREAK'],
    ['a,"', 'LINE_BREAK'],
    ['a\0b', 'CONTROL_CHARACTER'],
    ['a\tb', 'CONTROL_CHARACTER'],
    ['a\u007fb', 'CONTROL_CHARACTER'],
    ['a\u0085b', 'CONTROL_CHARACTER'],
    ['a\u2028b', 'CONTROL_CHARACTER'],
    ['a\ufffdb', 'ENCODING'],
  ])('finds %j unreadable: %s', (text, code) => {
    expect(read(text)).toMatchObject([{ line: 1, cells: [], fault: { code } }]);
  });

  it('says where the bad character stands, and not what stands around it', () => {
    expect(read('4222222222222220\u0007')[0]?.fault?.detail).toBe('U+0007 is character 17 of the line');
    expect(read('ab\ufffd')[0]?.fault?.detail).toBe('character 3 of the line');
  });

  it('gives faults, never one row, for two stray quotes that would join two payments', () => {
    const records = read('1,"Ada,5.00', '2,Bob",6.00', '3,"Eve, E",7.00');
    expect(records.map((record) => [record.line, record.cells, record.fault?.code])).toEqual([
      [1, [], 'LINE_BREAK'],
      [2, [], 'STRAY_QUOTE'],
      [3, ['3', 'Eve, E', '7.00'], undefined],
    ]);
  });

  it('gives faults also where the joined line would be well-formed', () => {
    expect(read('1,"Ada', 'Bob",6.00').map((record) => record.fault?.code)).toEqual(['LINE_BREAK', 'STRAY_QUOTE']);
  });

  it('keeps lines in order around lines that are too long', () => {
    const lines = [
      { number: 3, text: 'a,"b"', tooLong: false },
      { number: 4, text: '', tooLong: true },
      { number: 5, text: 'c,"d"', tooLong: false },
    ];
    expect(splitCells(lines)).toEqual([
      { line: 3, cells: ['a', 'b'] },
      { line: 4, cells: [], fault: { code: 'LINE_TOO_LONG' } },
      { line: 5, cells: ['c', 'd'] },
    ]);
  });

  it('agrees with csv-parse, given each line alone, on cells and on faults', () => {
    const text = fc
      .string({ unit: fc.constantFrom('a', 'b', ',', ',', '"', '"', ' ', 'é'), maxLength: 14 })
      .filter((line) => line.trim() !== '');
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (lines) => {
        const alone = lines.map((line) => {
          try {
            return parse(line, { relax_column_count: true, trim: true })[0];
          } catch {
            return 'fault';
          }
        });
        const together = read(...lines).map(({ cells, fault }) => (fault ? 'fault' : cells.map((cell) => cell.trim())));
        expect(together).toEqual(
          alone.map((cells) => (Array.isArray(cells) ? cells.map((cell) => cell.trim()) : cells)),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('splitQuoted', () => {
  it.each<[string, string[]]>([
    ['"a","b"', ['a', 'b']],
    ['a,"b, c",d', ['a', 'b, c', 'd']],
    ['a, " b " ,c ', ['a', ' b ', 'c']],
    ['"",', ['', '']],
    ['"Zürich"', ['Zürich']],
  ])('cuts %s', (text, cells) => {
    expect(splitQuoted(text)).toEqual(cells);
  });

  it.each(['"a"b', 'a"b"', '"a""b"', '"a', 'a"', '"a" "b"', '"', '\u00a0a,"b"'])('leaves %j to csv-parse', (text) => {
    expect(splitQuoted(text)).toBeUndefined();
  });

  it('cuts nothing otherwise than csv-parse', () => {
    const unit = fc.constantFrom('a', 'é', ',', ',', '"', '"', '"', ' ', '\u00a0', '\ufeff', '\u3000', '=');
    const counted = { cut: 0 };
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 14 }), (text) => {
        const cells = splitQuoted(text);
        if (!cells || !text.includes('"')) return;
        counted.cut += 1;
        expect(cells).toEqual(parse(text, { record_delimiter: '\n', relax_column_count: true, trim: true })[0]);
      }),
      { numRuns: 50_000 },
    );
    expect(counted.cut).toBeGreaterThan(2_000);
  });
});

describe('read canonical', () => {
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
});
