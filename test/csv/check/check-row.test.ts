import { describe, expect, it } from 'vitest';
import type { LayoutName } from '../../../schemas/layouts.ts';
import { compileRowCheck, rowNotes } from '../../../src/csv/check/check-row.ts';
import { DuplicateRows } from '../../../src/csv/check/duplicate-rows.ts';
import { ACCOUNT, achLine, cardLine, OTHER_VISA, rulesWith, VISA } from '../support.ts';

const ACH = rulesWith({ operation: 'ach-charge' });

function check(layout: LayoutName, lines: string[], rules = rulesWith()) {
  const checkRow = compileRowCheck(layout, rules, new DuplicateRows());
  return lines.map((line, index) => checkRow({ line: index + 2, cells: line.split(',') }));
}

function codesOf(layout: LayoutName, line: string, rules = rulesWith()): string[] {
  return check(layout, [line], rules)[0]!.faults.map((fault) => `${fault.code} ${fault.column}`);
}

describe('compileRowCheck', () => {
  it('makes a payment of a sound card row, its cells in canonical form', () => {
    const line = cardLine({ date: '6/5/2026', amount: ' 25 ', mop: 'visa', expiry: '12/28', firstName: '  Ada ' });
    expect(check('card', [line])).toEqual([
      {
        raw: { line: 2, cells: line.split(',') },
        faults: [],
        amountCents: 2_500,
        payment: {
          line: 2,
          invoice: 'INV-1',
          customerCode: '',
          amountCents: 2_500,
          number: VISA,
          canonical: cardLine({ date: '06/05/2026' }).split(','),
        },
      },
    ]);
  });

  it.each([
    ['ach', achLine(), ACH, { amountCents: 500, number: ACCOUNT, customerCode: '' }],
    ['ach-code', 'INV-1,A1,5.00,Gift', ACH, { amountCents: 500, number: '', customerCode: 'A1' }],
    ['ach', achLine({ amount: '-5' }), rulesWith({ operation: 'ach-refund' }), { amountCents: -500 }],
    ['card-ca', `06/15/2026,INV-1,Ada Byron,5.00,VISA,${VISA},1228`, rulesWith(), { amountCents: 500, number: VISA }],
    ['card-code', 'INV-1,A1,5.00,', rulesWith(), { amountCents: 500, customerCode: 'A1', invoice: 'INV-1' }],
  ] as const)('makes a payment of a sound row of %s', (layout, line, rules, payment) => {
    expect(check(layout, [line], rules)[0]?.payment).toMatchObject(payment);
  });

  it('finds all faults of a row, in the order of its columns', () => {
    const line = cardLine({ date: 'x', invoice: '', amount: '$5', mop: 'JCB', cardNumber: '4', expiry: '1325' });
    expect(codesOf('card', line)).toEqual([
      'DATE_FORMAT date',
      'FIELD_REQUIRED invoice',
      'AMOUNT_FORMAT amount',
      'MOP_UNKNOWN mop',
      'CARD_FORMAT cardNumber',
      'EXPIRY_FORMAT expiry',
    ]);
  });

  it('looks at addresses of accounts in the United States, and at no others', () => {
    const row = cardLine({ state: 'MA', zipCode: '2139' });
    expect(codesOf('card', row)).toEqual(['SPREADSHEET_DAMAGE zipCode']);
    const abroad = rulesWith({ account: { server: 'UK', country: 'UK', currency: 'GBP' } });
    expect(codesOf('card', row, abroad)).toEqual([]);
  });

  it.each(['FIELD_REQUIRED invoice', 'WRONG_SIGN amount', 'SPREADSHEET_DAMAGE expiry'])(
    'makes no payment of a row with %s',
    (fault) => {
      const cells = { 'FIELD_REQUIRED invoice': { invoice: '' }, 'WRONG_SIGN amount': { amount: '-5' } }[fault];
      const [row] = check('card', [cardLine(cells ?? { expiry: '928' })]);
      expect(row?.faults.map((fault) => `${fault.code} ${fault.column}`)).toEqual([fault]);
      expect(row).not.toHaveProperty('payment');
    },
  );

  it.each([
    [{ mop: 'X' }, 2_500],
    [{ amount: '-5' }, -500],
    [{ amount: '$5' }, null],
    [{ amount: '0' }, null],
  ])('tells the amount of an invalid row, where it can be read: %j', (cells, amountCents) => {
    expect(check('card', [cardLine(cells)])[0]).toMatchObject({ amountCents });
  });

  it('makes a payment in spite of a warning', () => {
    const checkRow = compileRowCheck('ach-code', ACH, new DuplicateRows());
    const row = checkRow({ line: 1, cells: ['INV-1', 'A1', '5.00', 'for Ada, with "love"'] });
    expect(row.faults).toMatchObject([{ code: 'TEXT_REPLACED', column: 'comment' }]);
    expect(row.payment?.canonical).toEqual(['INV-1', 'A1', '5.00', 'for Ada with love']);
  });

  it.each([
    ['VISA', VISA, []],
    ['MC', VISA, ['CARD_BRAND cardNumber']],
    ['MC', '5555555555554444', []],
    ['AMX', '378282246310005', []],
    ['DSC', '6011111111111117', []],
    ['VISA', '6011111111111117', ['CARD_BRAND cardNumber']],
    ['JCB', VISA, ['MOP_UNKNOWN mop']],
    ['MC', '4222222222222221', ['CARD_CHECK_DIGIT cardNumber']],
  ])('compares %s with the number', (mop, cardNumber, codes) => {
    expect(codesOf('card', cardLine({ mop, cardNumber }))).toEqual(codes);
  });

  it.each([
    ['ach', achLine({ comment: `acct ${ACCOUNT}` }), ['CARD_NUMBER_IN_TEXT comment']],
    ['ach', achLine({ invoice: ACCOUNT }), ['CARD_NUMBER_IN_TEXT invoice']],
    ['ach', achLine({ accountNumber: '12345678', comment: '1234-5678' }), ['CARD_NUMBER_IN_TEXT comment']],
    ['ach', achLine({ accountNumber: '12345678', comment: '12/34 (56) 78' }), ['CARD_NUMBER_IN_TEXT comment']],
    ['ach', achLine({ accountNumber: '12345678', comment: '\uff11\uff12345678' }), ['CARD_NUMBER_IN_TEXT comment']],
    ['card', cardLine({ street: '4111/1111/1111/1111' }), ['CARD_NUMBER_IN_TEXT street']],
    ['ach', achLine({ accountNumber: '1001', invoice: '02100002140000001' }), ['CARD_NUMBER_IN_TEXT invoice']],
    ['ach', achLine({ accountNumber: '1001', invoice: '202611230001' }), []],
    ['ach', achLine({ accountNumber: '1234567', comment: '1234567' }), []],
    ['ach', achLine({ accountNumber: '12345678', comment: '87654321' }), []],
    ['card', cardLine({ street: OTHER_VISA }), ['CARD_NUMBER_IN_TEXT street']],
    ['card', cardLine({ invoice: VISA }), ['CARD_NUMBER_IN_TEXT invoice']],
    [
      'card',
      cardLine({ cardNumber: '4222222222222221', lastName: 'x4222222222222221' }),
      ['CARD_CHECK_DIGIT cardNumber', 'CARD_NUMBER_IN_TEXT lastName'],
    ],
  ] as const)('looks for numbers in the text columns of %s', (layout, line, codes) => {
    expect(codesOf(layout, line, layout === 'ach' ? ACH : rulesWith())).toEqual(codes);
  });

  it('never shows a number in a fault', () => {
    const rows = [
      ...check('card', [
        cardLine({ cardNumber: '4222222222222221' }),
        cardLine({ firstName: VISA, cardNumber: OTHER_VISA, mop: 'MC' }),
        cardLine({ cardNumber: '4222-2222-2222-2220', amount: VISA, date: VISA, mop: VISA, expiry: VISA }),
      ]),
      ...check('ach', [achLine({ accountNumber: '1234', comment: `1234${'x'.repeat(100)}` })], ACH),
    ];
    const text = JSON.stringify(rows.map((row) => row.faults));
    expect(rows.every((row) => row.faults.length > 0)).toBe(true);
    expect(text).not.toMatch(/\d{5}|1234/);
  });
});

describe('duplicates within a file', () => {
  it.each([
    [cardLine({ firstName: 'Eve', street: 'elsewhere' }), true],
    [cardLine({ amount: '25' }), true],
    [cardLine({ amount: '25.01' }), false],
    [cardLine({ invoice: 'INV-2' }), false],
    [cardLine({ invoice: 'inv-1' }), false],
    [cardLine({ cardNumber: OTHER_VISA }), false],
    [cardLine({ cardNumber: '4222222222222221' }), false],
  ])('of INV-1 and %s', (second, isDuplicate) => {
    const [first, other] = check('card', [cardLine(), second]);
    expect(first?.faults).toEqual([]);
    const expected = { code: 'DUPLICATE_ROW', line: 3, detail: 'the first is on line 2' };
    expect(other?.faults.filter((fault) => fault.code === 'DUPLICATE_ROW')).toEqual(isDuplicate ? [expected] : []);
  });

  it.each([
    ['hold', true],
    ['reject', false],
    ['warn', true],
  ] as const)('with %s in the folder the second is a payment: %s', (duplicateRowsPolicy, isPayment) => {
    const rules = rulesWith({ operation: 'ach-charge', folder: { duplicateRows: duplicateRowsPolicy } });
    const [first, second] = check('ach-code', ['INV-1,A1,5.00,x', 'INV-1,A1,5.00,y'], rules);
    expect(first?.payment).toBeDefined();
    expect(second?.faults).toMatchObject([{ code: 'DUPLICATE_ROW' }]);
    expect(second?.payment !== undefined).toBe(isPayment);
  });
});

describe('compileRowCheck, with a limit for one row', () => {
  const rules = rulesWith({ largestRowCents: 50_000 });
  const refunds = rulesWith({ operation: 'ach-refund', largestRowCents: 50_000 });

  it.each([
    ['card', cardLine({ amount: '500.00' }), rules, []],
    ['card', cardLine({ amount: '500.01' }), rules, ['LIMIT_ROW_AMOUNT undefined']],
    ['ach', achLine({ amount: '-500.00' }), refunds, []],
    ['ach', achLine({ amount: '-500.01' }), refunds, ['LIMIT_ROW_AMOUNT undefined']],
    ['card', cardLine({ amount: '500.01' }), rulesWith(), []],
  ] as const)('%s %s', (layout, line, given, codes) => {
    expect(codesOf(layout, line, given)).toEqual(codes);
  });

  it('leaves the row what it is, because a person decides about the file', () => {
    const [row] = check('card', [cardLine({ amount: '500.01' })], rules);
    expect(row).toMatchObject({ payment: { amountCents: 50_001 }, faults: [{ detail: '500.01, at most 500.00' }] });
  });

  it('says nothing of a row that is withheld anyway', () => {
    expect(codesOf('card', cardLine({ amount: '500.01', invoice: '' }), rules)).toEqual(['FIELD_REQUIRED invoice']);
  });
});

const notes = () => rowNotes(['invoice', 'cardNumber'], 1, rulesWith().folder);

describe('rowNotes', () => {
  it('reports with line, column, detail and masked value', () => {
    const { startRow, moveTo, report, faults } = notes();
    startRow({ line: 7, cells: [' a,b ', VISA] });
    report('FIELD_COMMA');
    moveTo(1);
    report('CARD_BRAND', 'not a number of MC');
    expect(faults()).toEqual([
      { code: 'FIELD_COMMA', line: 7, column: 'invoice', value: 'a,b' },
      { code: 'CARD_BRAND', line: 7, column: 'cardNumber', detail: 'not a number of MC', value: '************2220' },
    ]);
  });

  it('leaves out the value of an empty cell, and column and value of a fault of the row', () => {
    const { startRow, report, reportRow, faults } = notes();
    startRow({ line: 7, cells: ['', VISA] });
    report('FIELD_REQUIRED');
    reportRow('DUPLICATE_ROW', 'the first is on line 2');
    expect(faults()).toEqual([
      { code: 'FIELD_REQUIRED', line: 7, column: 'invoice' },
      { code: 'DUPLICATE_ROW', line: 7, detail: 'the first is on line 2' },
    ]);
  });

  it('knows whether more than a warning was said, of each row anew', () => {
    const { startRow, report, isInvalid, faults } = notes();
    startRow({ line: 1, cells: ['a', VISA] });
    report('TEXT_REPLACED');
    expect(isInvalid()).toBe(false);
    report('FIELD_TOO_LONG');
    expect(isInvalid()).toBe(true);
    const before = faults();
    startRow({ line: 2, cells: ['a', VISA] });
    expect(isInvalid()).toBe(false);
    expect(faults()).toEqual([]);
    expect(before).toHaveLength(2);
  });
});
