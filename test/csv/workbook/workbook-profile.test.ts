import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { Profile } from '../../../schemas/profiles.ts';
import { readBoth } from '../profile/support/read-example.ts';
import { type MadeCell, makeWorkbook, type MadeWorkbook, STYLE, styled } from './support/make-workbook.ts';

const PROFILE = `
layout: card
read: { kind: workbook, sheet: Dues, formulas: [Tax] }
head:
  within: 8
  above: [Acme Swim Club Inc]
  titles: [Date, Status, Num, First, Last, Zip, Card Type, Card Number, Card Exp, Net, Tax, Amount, Memo]
rows:
  only: [{ column: Status, take: [Open], skip: [Paid] }]
  totals: [{ when: { column: Date, is: TOTAL }, amount: Amount, must: maybe }]
columns:
  date: { from: Date, type: date }
  invoice: { from: Num }
  firstName: { from: First, empty: keep }
  lastName: { from: Last }
  street: { value: '' }
  city: { value: '' }
  state: { value: '' }
  zipCode: { from: Zip, empty: keep }
  amount: { from: Amount, type: number, sign: as-written }
  mop: { from: Card Type, words: { Visa: VISA } }
  cardNumber: { from: Card Number }
  expiry: { from: Card Exp, type: date }
ignore: [Net, Tax, Memo]
check: { sums: [{ add: [Net, Tax], equals: Amount }] }
`;

const TITLES = 'Date,Status,Num,First,Last,Zip,Card Type,Card Number,Card Exp,Net,Tax,Amount,Memo'.split(',');
const PLACES = new Map(TITLES.map((title, place) => [title, place]));

type Changes = Readonly<Record<string, MadeCell>>;

function payment(changes: Changes = {}): MadeCell[] {
  const date = styled(46_188, STYLE.date);
  const tax = { xml: '<c r="@"><f>J@*0.2</f><v>5</v></c>' };
  const cells: MadeCell[] = [
    date,
    'Open',
    1001,
    'Ada',
    'Byron',
    '12180',
    'Visa',
    '4222222222222220',
    styled(49_644, STYLE.ownDate),
    20,
    tax,
    25,
    'June',
  ];
  return cells.map((cell, place) => {
    const title = TITLES[place] ?? '';
    return title in changes ? changes[title] : cell;
  });
}

const MADE = '06/15/2026,1001,Ada,Byron,,,,12180,25.00,VISA,4222222222222220,12/35';

function readBook(rows: readonly (readonly MadeCell[])[], book: Partial<MadeWorkbook> = {}, profile = PROFILE) {
  const bytes = makeWorkbook({ rows: [['Acme Swim Club Inc'], [], TITLES, ...rows], ...book });
  return readBoth(bytes, Profile.parse(parse(profile)), { operation: 'card', today: '2026-06-15' });
}

/** Reads one payment on line 4, and returns its faults. */
async function faultsOf(changes: Changes, profile?: string): Promise<string[]> {
  const { faults } = await readBook([payment(changes)], {}, profile);
  return faults.filter(({ code }) => code !== 'PROFILE_SKIPPED').map(({ code, detail }) => `${code} ${detail}`);
}

function cell(value: string | number, attributes = ''): MadeCell {
  return { xml: `<c r="@" ${attributes}>${value}</c>` };
}

const FORMULA = cell('<f>1+1</f><v>25</v>');

describe('a workbook', () => {
  it('becomes the file that a person would write in the layout, line by line', async () => {
    const { made, lines, faults } = await readBook([payment(), [], payment({ Num: 'R-2', First: undefined })]);
    expect(made.split('\n')).toEqual([
      '',
      '',
      '',
      MADE,
      '',
      '06/15/2026,R-2,,Byron,,,,12180,25.00,VISA,4222222222222220,12/35',
      '',
    ]);
    expect(lines.map(({ kind }) => kind)).toEqual(['above', 'above', 'titles', 'payment', 'blank', 'payment']);
    expect(faults).toEqual([]);
  });

  it('shows cells as the sender has them', async () => {
    const { lines } = await readBook([payment({ Amount: styled(25, STYLE.money) })]);
    const wanted = '2026-06-15,Open,1001,Ada,Byron,12180,Visa,4222222222222220,2035-12-01,20,5,25,June';
    expect(lines[3]?.cells).toEqual(wanted.split(','));
  });

  it.each([
    ['Amount', 25.005, 'NUMBER_FORMAT "Amount": it has 3 decimals, and the profile takes 1 or 2'],
    ['Amount', '25.00', 'NUMBER_FORMAT "Amount": cell L4 is a text'],
    ['Amount', styled(46_188, STYLE.date), 'NUMBER_FORMAT "Amount": cell L4 is a date'],
    ['Amount', undefined, 'CELL_EMPTY "Amount"'],
    [
      'Amount',
      FORMULA,
      'NUMBER_FORMAT "Amount": cell L4 is the result of a formula, and the profile allows none in this column',
    ],
    ['Amount', cell('<v>#N/A</v>', 't="e"'), 'NUMBER_FORMAT "Amount": cell L4 is an error'],
    ['Date', 46_188, 'FORMAT_DIFFERS "Date": cell A4 is a number'],
    ['Date', '06/15/2026', 'FORMAT_DIFFERS "Date": cell A4 is a text'],
    ['Date', styled(46_188.5, STYLE.time), 'FORMAT_DIFFERS "Date"'],
    ['Num', 1001.5, 'SHAPE_DIFFERS "Num": cell C4 is a number'],
    ['Num', -7, 'SHAPE_DIFFERS "Num": cell C4 is a number'],
    ['Num', styled(46_188, STYLE.date), 'SHAPE_DIFFERS "Num": cell C4 is a date'],
    [
      'Zip',
      styled(1_218, STYLE.padded),
      'SHAPE_DIFFERS "Zip": cell F4 is a number that is shown with zeros in front, which it does not have',
    ],
    [
      'Card Number',
      4_222_222_222_222_220,
      'SPREADSHEET_DAMAGE "Card Number": cell H4 is a number of more than 15 digits, so the last ones are lost',
    ],
    ['Card Exp', styled(49_670, STYLE.date), 'FORMAT_DIFFERS "Card Exp": it is not the first day of a month'],
    ['Card Exp', '12/35', 'FORMAT_DIFFERS "Card Exp": cell I4 is a text'],
    [
      'Status',
      cell('<f>A1</f><v>Open</v>', 't="str"'),
      'SHAPE_DIFFERS column 2: cell B4 is the result of a formula, and the profile allows none in this column',
    ],
    ['Net', cell('<f>1+1</f>'), 'SHAPE_DIFFERS column 10: cell J4 is a formula without a saved result'],
    ['Tax', cell('<f>1+1</f>'), 'SHAPE_DIFFERS column 11: cell K4 is a formula without a saved result'],
    ['Memo', cell('<v>#REF!</v>', 't="e"'), 'WORKBOOK_DOUBT cell M4 is an error'],
    [
      'Memo',
      1_234_567_890_123_456,
      'WORKBOOK_DOUBT cell M4 is a number of more than 15 digits, so the last ones are lost',
    ],
  ])('is held for %s %s', async (title, value, fault) => {
    const found = await faultsOf({ [title]: value });
    expect(found.map((one) => one.slice(0, fault.length))).toContain(fault);
    const other = found.filter((one) => !one.startsWith(fault)).map((one) => one.split(' ')[0]);
    expect(other.filter((code) => code !== 'SUM_DIFFERS')).toEqual([]);
  });

  it('never shows the digits of a number in a fault', async () => {
    const { faults } = await readBook([payment({ 'Card Number': 4_222_222_222_222_220, Memo: 5_555_555_555_554_444 })]);
    expect(faults.length).toBeGreaterThan(1);
    expect(JSON.stringify(faults)).not.toMatch(/\d{7}/);
  });

  it('has no amount of a formula that is only nearly whole cents', async () => {
    const off = cell('<f>0.1+0.2</f><v>25.000000000000004</v>');
    const allowed = PROFILE.replace('[Tax]', '[Tax, Amount]');
    expect([...new Set(await faultsOf({ Amount: off }, allowed))]).toEqual([
      'NUMBER_FORMAT "Amount": it has 15 decimals, and the profile takes 1 or 2',
    ]);
    expect(await faultsOf({ Amount: FORMULA }, allowed)).toEqual([]);
  });

  it('takes the day of a time where the profile drops it', async () => {
    const dropped = PROFILE.replace('date: { from: Date, type: date }', 'date: { from: Date, type: date, time: drop }');
    const { made, faults } = await readBook([payment({ Date: styled(46_188.5, STYLE.time) })], {}, dropped);
    expect([made.split('\n')[3], faults]).toEqual([MADE, []]);
  });

  it('leaves cells empty that do not fit', async () => {
    const { made } = await readBook([payment({ Amount: '25.00', 'Card Number': 4_222_222_222_222_220 })]);
    expect(made.split('\n')[3]).toBe('06/15/2026,1001,Ada,Byron,,,,12180,,VISA,,12/35');
  });

  it('takes a formula in a column that is not sent', async () => {
    expect(await faultsOf({ Memo: FORMULA })).toEqual([]);
  });

  it('is held for a formula that leaves a row out', async () => {
    const paid = cell('<f>A1</f><v>Paid</v>', 't="str"');
    expect(await faultsOf({ Status: paid })).toEqual([
      'WORKBOOK_DOUBT cell B4 is the result of a formula, and the profile allows none in this column',
    ]);
  });

  it('is held for a row of nothing but unsaved formulas', async () => {
    const { faults } = await readBook([[cell('<f>A1</f><v/>')]]);
    expect(faults).toEqual([
      { code: 'WORKBOOK_DOUBT', line: 4, detail: 'cell A4 is a formula without a saved result' },
    ]);
  });
});

describe('the total row of a workbook', () => {
  const three = [0, 1, 2].map((at) => payment({ Num: 1001 + at, Net: 20.1, Amount: 25.1 }));
  const total = (value: string) => {
    const cells: MadeCell[] = TITLES.map(() => undefined);
    cells[0] = 'TOTAL';
    cells[PLACES.get('Amount')!] = cell(`<f>SUM(L4:L6)</f><v>${value}</v>`);
    return cells;
  };

  it('may be a formula, and off in digits that Excel does not show', async () => {
    expect((await readBook([...three, total('75.300000000000011')])).faults).toEqual([]);
  });

  it('holds the file when it is wrong or not saved', async () => {
    expect((await readBook([...three, total('75.31')])).faults.map(({ code }) => code)).toEqual(['TOTAL_DIFFERS']);
    const { faults } = await readBook([...three, total('')]);
    expect(faults.map(({ code }) => code)).toEqual(['WORKBOOK_DOUBT', 'TOTAL_DIFFERS']);
  });
});

describe('what a workbook hides holds the file', () => {
  const doubts = async (book: Partial<MadeWorkbook>) => {
    const { faults } = await readBook([payment(), payment({ Num: 1002, Status: 'Paid' }), []], book);
    return faults.flatMap(({ code, line, detail }) => (code === 'WORKBOOK_DOUBT' ? [`${line}: ${detail}`] : []));
  };

  it('when rows are hidden that hold anything, titles and rows left out included', async () => {
    const hidden = (line: number) => ({ rowAttributes: { [line]: 'hidden="1"' } });
    expect(await doubts(hidden(3))).toEqual(['3: the row is hidden']);
    expect(await doubts(hidden(4))).toEqual(['4: the row is hidden']);
    expect(await doubts(hidden(5))).toEqual(['5: the row is hidden']);
    expect([...(await doubts(hidden(1))), ...(await doubts(hidden(2))), ...(await doubts(hidden(6)))]).toEqual([]);
  });

  it('when a column is hidden, also one that is not sent', async () => {
    expect(await doubts({ before: '<cols><col min="13" max="13" hidden="1"/></cols>' })).toEqual([
      '0: column M is hidden',
    ]);
  });

  it('when cells are merged, but not above the titles', async () => {
    const merged = (range: string) => ({ behind: `<mergeCells><mergeCell ref="${range}"/></mergeCells>` });
    expect(await doubts(merged('A1:M2'))).toEqual([]);
    expect(await doubts(merged('A2:A3'))).toEqual(['3: cells A2:A3 are merged']);
    expect(await doubts(merged('E4:E5'))).toEqual(['5: cells E4:E5 are merged']);
  });
});

describe('a file that is not the workbook of its profile', () => {
  const codes = async (bytes: Buffer) => {
    const { faults, made } = await readBoth(bytes, Profile.parse(parse(PROFILE)), {
      operation: 'card',
      today: '2026-06-15',
    });
    expect(made).toBe('');
    return faults.map(({ code, detail }) => `${code} ${detail}`);
  };

  it('is refused as a whole', async () => {
    expect(await codes(Buffer.from(TITLES.join(',')))).toEqual(['WORKBOOK_REFUSED it is a text file, such as CSV']);
    expect(await codes(makeWorkbook({ rows: [], sheets: [['Juni']] }))).toEqual([
      'WORKBOOK_REFUSED it has no sheet "Dues"; it has "Juni"',
    ]);
  });

  it('is refused in one line by a profile of text files, which says both', async () => {
    const text = PROFILE.replace('kind: workbook, sheet: Dues, formulas: [Tax]', 'charset: utf-8, separator: semicolon')
      .replace('date: { from: Date, type: date }', 'date: { from: Date, format: DD.MM.YYYY }')
      .replace('from: Amount, type: number', "from: Amount, number: { decimal: ',' }")
      .replace('from: Card Exp, type: date', 'from: Card Exp, format: MM/YY');
    const { made, faults } = await readBook([payment()], {}, text);
    const detail =
      'it is an Excel workbook or other Office file (.xlsx), and the profile reads text with a semicolon between the cells';
    expect([made, faults]).toEqual(['', [{ code: 'NOT_CSV', line: 0, detail }]]);
  });

  it('is refused for other titles', async () => {
    const rows = [['Acme Swim Club Inc'], TITLES.with(2, 'Number'), payment()];
    const { faults } = await readBoth(makeWorkbook({ rows }), Profile.parse(parse(PROFILE)), {
      operation: 'card',
      today: '2026-06-15',
    });
    expect(faults.map(({ code, line }) => `${line} ${code}`)).toContain('2 TITLES_DIFFER');
  });
});
