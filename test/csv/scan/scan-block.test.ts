import { describe, expect, it } from 'vitest';
import {
  compileBlockScan,
  ENDS_WITH,
  LINE_ENDS,
  newScannedRows,
  REPLACED,
  REPLACED_WORDS,
  ROWS,
} from '../../../src/csv/scan/scan-block.ts';
import { ACCOUNT, achLine, cardLine, rulesWith, VISA } from '../support.ts';
import { type ColumnName, COLUMNS, columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { scanColumn, scanRules } from '../../../src/csv/scan/scan-column.ts';
import { planRowScan, scanRow } from '../../../src/csv/scan/plan-row-scan.ts';
import { DECLINED, newRowScan, placesOf } from '../../../src/csv/scan/row-scan.ts';

describe('compileBlockScan', () => {
  const scanBlock = compileBlockScan({ layout: 'card', rules: rulesWith(), hashKey: Uint32Array.of(1, 2) });
  const found = newScannedRows();

  /** Scans a text and returns for each row its line, the bytes to send and the cents. */
  function scan(text: string, from = 0, to = text.length) {
    const block = Buffer.from(text);
    scanBlock(block, from, to, found);
    const { counts, places, nextPlaces, starts, bytes, cents, replaced } = found;
    const rows = Array.from({ length: counts[ROWS]! }, (_, row) => [
      block.toString('latin1', places[row], nextPlaces[row]),
      Buffer.from(bytes.subarray(starts[row], starts[row + 1])).toString(),
      cents[row],
    ]);
    const cells = Array.from({ length: counts[REPLACED]! }, (_, cell) => {
      const [row, column, start, end] = replaced.subarray(cell * REPLACED_WORDS, (cell + 1) * REPLACED_WORDS);
      return [row, column, block.toString('latin1', start, end)];
    });
    return { rows, cells, lineEnds: counts[LINE_ENDS] };
  }

  const ONE = cardLine({ invoice: 'N-1' });
  const TWO = cardLine({ invoice: 'N-2', amount: '7.5' });

  it('finds the rows of a block and passes over every other line', () => {
    const bad = [cardLine({ expiry: '0101' }), '', 'Zürich', '"', cardLine({ firstName: ' '.repeat(17_000) })];
    const text = `${bad[0]}\n${ONE}\n${bad.join('\n')}\n${TWO}\n${bad[1]}\n`;
    expect(scan(text).rows).toEqual([
      [`${ONE}\n`, `${ONE}\n`, 2_500],
      [`${TWO}\n`, `${cardLine({ invoice: 'N-2', amount: '7.50' })}\n`, 750],
    ]);
  });

  it('tells kinds of line ends', () => {
    expect(scan(`${ONE}\n`).lineEnds).toBe(ENDS_WITH.lf);
    expect(scan(`${ONE}\r\n${TWO}\r\n`).lineEnds).toBe(ENDS_WITH.crlf);
    expect(scan(`${ONE}\r${TWO}\n`).lineEnds).toBe(ENDS_WITH.cr | ENDS_WITH.lf);
  });

  it('names cells whose commas it replaced, and not those of lines that it declines', () => {
    const city = '"Troy, NY"';
    const text = `${cardLine({ city, expiry: '0101' })}\n${ONE}\n${cardLine({ city, lastName: '"B, C"' })}\n`;
    expect(scan(text).cells).toEqual([
      [1, 3, 'B, C'],
      [1, 5, 'Troy, NY'],
    ]);
  });

  it('begins where it is told, and takes no line that does not end', () => {
    const linesOf = (text: string, from?: number) => scan(text, from).rows.map(([line]) => line);
    expect(linesOf(`${ONE}\n${TWO}\n`, ONE.length + 1)).toEqual([`${TWO}\n`]);
    expect(linesOf(`${ONE}\n${TWO}`)).toEqual([`${ONE}\n`]);
    expect(scan('').rows).toEqual([]);
  });
});

describe('scanColumn', () => {
  it('has the same fields for every column, in the same order', () => {
    const shapes = (Object.keys(COLUMNS) as ColumnName[]).map((name) => Object.keys(scanColumn(name, 0, rulesWith())));
    expect(new Set(shapes.map(String)).size).toBe(1);
  });

  it('replaces commas in free text, where the folder says so', () => {
    const replaces = (name: ColumnName, textCommas: 'replace' | 'reject') =>
      scanColumn(name, 0, rulesWith({ folder: { textCommas } })).replacesCommas;
    expect([replaces('comment', 'replace'), replaces('comment', 'reject')]).toEqual([true, false]);
    expect([replaces('state', 'replace'), replaces('invoice', 'replace')]).toEqual([false, false]);
  });

  it('takes limits from the table of fields', () => {
    expect(scanColumn('city', 5, rulesWith())).toMatchObject({
      kind: 'text',
      place: 5,
      required: false,
      maxLength: 40,
    });
    expect(scanColumn('customerCode', 1, rulesWith())).toMatchObject({ kind: 'text', isCode: true, required: true });
  });
});

describe('scanRules', () => {
  it('are those of the check', () => {
    const rules = rulesWith({ operation: 'ach-refund', today: '2026-06-15', folder: { routingCheck: true } });
    expect(scanRules(rules)).toMatchObject({ sign: -1, largestCents: Infinity, routingCheck: true, thisMonth: 24_318 });
    expect(scanRules({ ...rules, largestRowCents: 7 }).largestCents).toBe(7);
  });
});

describe('scanRow', () => {
  const ACH = rulesWith({ operation: 'ach-charge' });

  function scan(layout: LayoutName, line: string, rules = rulesWith()) {
    const scan = { ...newRowScan(), input: Buffer.from(`first\n${line}\n`), output: Buffer.alloc(1_000) };
    const end = scanRow(planRowScan(layout, rules), scan, 6);
    if (end === DECLINED) return undefined;
    const at = (start: number, end: number) => scan.output.toString('utf8', start, end);
    return {
      sent: at(0, scan.to),
      rest: scan.input.toString('utf8', end),
      key: [at(scan.invoiceStart, scan.invoiceEnd), scan.cents, at(scan.payerStart, scan.payerEnd)],
    };
  }

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

it.each<[LayoutName, ReturnType<typeof placesOf>]>([
  [
    'card',
    { invoice: 1, customerCode: -1, amount: 8, mop: 9, state: 6, zipCode: 7, number: 10, texts: [1, 2, 3, 4, 5, 6, 7] },
  ],
  ['card-ca', { invoice: 1, customerCode: -1, amount: 3, mop: 4, state: -1, zipCode: -1, number: 5, texts: [1, 2] }],
  ['ach', { invoice: 0, customerCode: -1, amount: 5, mop: -1, state: -1, zipCode: -1, number: 4, texts: [0, 1, 2, 6] }],
  [
    'ach-code',
    { invoice: 0, customerCode: 1, amount: 2, mop: -1, state: -1, zipCode: -1, number: -1, texts: [0, 1, 3] },
  ],
])('placesOf finds the columns of %s', (layout, places) => {
  expect(placesOf(columnsOf(layout))).toEqual(places);
});

it('newRowScan begins empty, and no place in a line means that it was declined', () => {
  expect(newRowScan()).toMatchObject({ to: 0, replaced: [], mostDigits: 0, isQuoted: false });
  expect(newRowScan().replaced).not.toBe(newRowScan().replaced);
  expect(DECLINED).toBeLessThan(0);
});
