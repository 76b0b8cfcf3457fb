import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { changed, faultsOf, finds } from '../support/read-example.ts';
import { checkForms } from '../../../../src/csv/profile/check/check-forms.ts';
import { compileDateForm, compileExpiryForm } from '../../../../src/csv/profile/date-form.ts';
import { parseProfile } from '../../../../src/csv/profile/profile-text.ts';
import { EXAMPLE_PROFILES } from '../support/example-profiles.ts';

describe('layout, rows and columns', () => {
  finds('PROFILE_KEY', [
    ['bank-ach', 'rows: 2, amount: 3, ', '', 'rows.totals.1: write amount or rows, the column that is compared'],
    [
      'quickbooks-dues',
      '  invoice: {',
      '  comment: { value: A }\n  invoice: {',
      'columns.comment: layout card has no such column; leave it out',
    ],
  ]);

  finds('PROFILE_COLUMN_OPEN', [
    [
      'quickbooks-dues',
      '  expiry: { from: Card Exp, format: MM/YYYY }\n',
      '',
      'columns: Expiry has no rule; write one for expiry',
    ],
  ]);

  finds('PROFILE_LAYOUT', [
    ['quickbooks-dues', 'layout: card', 'layout: card-ca', 'layout: "card-ca" is not for accounts in US'],
    ['quickbooks-dues', 'layout: card', 'layout: ach', 'layout: "ach" is not a layout of card'],
  ]);
});

describe('keys and values', () => {
  finds('PROFILE_KEY', [
    ['bank-ach', 'number: {', 'nubmer: {', 'columns.amount.nubmer: there is no such key; did you mean number?'],
    [
      'bank-ach',
      'digits: 9, check',
      'digts: 9, check',
      'columns.accountNumber.join.1.digts: there is no such key; did you mean digits?',
    ],
    [
      'bank-ach',
      'charset: iso-8859-1',
      'charset: iso-8859-2',
      'read.charset: "iso-8859-2" is none of utf-8, utf-16, windows-1252, iso-8859-1; did you mean iso-8859-1?',
    ],
    ['bank-ach', 'titles: none', 'titles: non', 'head.titles: "non" is none of none; did you mean none?'],
    ['bank-ach', 'cells: 3', "cells: '3'", 'rows.totals.1.cells: write a number here'],
    [
      'bank-ach',
      'starts: [D]',
      'starts: [12]',
      'columns.invoice.shape.starts.1: put 12 in quotes, so that it is a text',
    ],
    ['bank-ach', 'from: 7', 'from: [7]', 'columns.invoice.from: write a text or a number here'],
    ['sage-eft', 'empty: true', 'empty: true, is: A', 'rows.skip.1.when.2: write exactly one of is, starts and empty'],
  ]);
});

describe('forms of dates and numbers', () => {
  finds('PROFILE_KEY', [
    [
      'bank-ach',
      ', digits: 10',
      '',
      'columns.amount.number.unit: cents needs digits, the number of digits of each cell',
    ],
    [
      'bank-ach',
      'digits: 10',
      "digits: 10, decimal: '.'",
      'columns.amount.number.decimal: cents are digits only; leave it out',
    ],
    ['quickbooks-dues', "decimal: '.', ", '', "columns.amount.number: write decimal: '.', ',' or none"],
    [
      'quickbooks-dues',
      "decimal: '.'",
      'decimal: none',
      'columns.amount.number.whole: amounts without decimals are whole numbers; write whole: allow',
    ],
  ]);

  finds('PROFILE_MARKS', [
    ['quickbooks-dues', "group: ','", "group: '.'", 'columns.amount.number.group: decimal and group are the same mark'],
    [
      'quickbooks-dues',
      "group: ','",
      "group: ',', symbol: '-'",
      'columns.amount.number.symbol: it cannot be told apart from the digits, marks and signs of an amount',
    ],
    [
      'sage-eft',
      'separator: comma',
      'separator: comma, quotes: none',
      'columns.amount.number.group: it is the separator too, and no cell is in quotes; use quotes: double or another separator',
    ],
  ]);

  finds('PROFILE_FORMAT', [
    ['quickbooks-dues', 'format: MM/YYYY', 'format: MM/DD', 'columns.expiry.format: it has no year'],
    [
      'quickbooks-dues',
      'format: MM/YYYY',
      'format: DD/MM/YYYY',
      'columns.expiry.format: an expiry has no day; leave it out',
    ],
    [
      'quickbooks-dues',
      'format: MM/DD/YYYY',
      'format: MDYYYY',
      'columns.date.format: M and D beside digits cannot be told apart; write MM and DD',
    ],
    [
      'quickbooks-dues',
      'format: MM/DD/YYYY',
      'format: mm/DD/YYYY',
      'columns.date.format: "mm/" is none of YYYY, YY, MMM, MM, M, DD, D',
    ],
    [
      'quickbooks-dues',
      'format: MM/DD/YYYY',
      'format: DD MMM YYYY',
      'columns.date.format: MMM needs the language of the months: en, fr, de or es',
    ],
  ]);
});

const READABLE = ['MM/DD/YYYY', 'D.M.YYYY', 'DMMMYY', 'MMYY', 'M/YY', 'YYYY-M', 'MYY'].map(
  (format): [{ format: string; language: 'en' }] => [{ format, language: 'en' }],
);

describe('a form of a date or expiry', () => {
  const parsed = parseProfile(EXAMPLE_PROFILES['quickbooks-dues']);
  if ('faults' in parsed) throw new Error('the example has faults');
  const { profile } = parsed;
  const pieces = fc.constantFrom('YYYY', 'YY', 'MMM', 'MM', 'M', 'DD', 'D', '/', '.', '-', ' ');
  const rules: fc.Arbitrary<{ format: string; language: 'en' | undefined }> = fc.record({
    format: fc.array(pieces, { minLength: 1, maxLength: 6 }).map((some) => some.join('')),
    language: fc.constantFrom('en' as const, undefined),
  });

  it.each([
    { column: 'date', compile: compileDateForm },
    { column: 'expiry', compile: compileExpiryForm },
  ] as const)('of the column $column has no fault exactly if it can be read in one way', ({ column, compile }) => {
    fc.assert(
      fc.property(rules, (rule) => {
        const faults = checkForms(column, rule, profile).filter(({ code }) => code === 'PROFILE_FORMAT');
        const isKnown = (rule.format.match(/Y+|M+|D+/g) ?? []).every((letters) =>
          /^(?:YY|YYYY|M{1,3}|D{1,2})$/.test(letters),
        );
        expect(faults.length === 0).toBe(isKnown && compile(rule) !== undefined);
      }),
      { numRuns: 1_000, examples: READABLE },
    );
  });
});

describe('rules of columns', () => {
  finds('PROFILE_KEY', [
    [
      'bank-ach',
      'digits: 9, check',
      'digits: 8, check',
      'columns.accountNumber.join.1.check: a routing number has 9 digits; write digits: 9',
    ],
    ['bank-ach', '4..17', '17..4', 'columns.accountNumber.join.2.digits: write the smaller number first: 4..17'],
    ['bank-ach', 'value: Monthly dues', 'value: Monthly dues, from: 8', 'columns.comment: write one of from, value'],
    [
      'quickbooks-dues',
      'from: Billing City',
      'digits: 4, from: Billing City',
      'columns.city.digits: this column does not take it; it takes from, join, value, split, part, of, otherwise, empty, excelText',
    ],
    ['quickbooks-dues', 'part: 1, ', '', 'columns.lastName.split: split needs part beside it'],
    ['quickbooks-dues', 'part: 1', 'part: 3', 'columns.lastName.part: there are 2 parts, so 3 is none of them'],
    ['quickbooks-dues', ', sign: as-written', '', 'columns.amount.from: from needs sign beside it'],
    ['quickbooks-dues', ', format: MM/DD/YYYY', ', type: date', 'columns.date.type: only workbooks have types'],
    ['quickbooks-dues', ', format: MM/DD/YYYY', '', 'columns.date.from: from needs format or type beside it'],
    [
      'quickbooks-dues',
      'from: Num }',
      'from: Num, empty: keep }',
      'columns.invoice.empty: this column does not take it; it takes from, join, excelText, shape',
    ],
    [
      'quickbooks-dues',
      ', words: { Visa: VISA, MasterCard: MC, American Express: AMX, Discover: DSC }',
      '',
      'columns.mop.from: from needs words beside it',
    ],
    ['sage-eft', '    negative: Credit\n', '', 'columns.amount.positive: positive needs negative beside it'],
  ]);

  finds('PROFILE_CONSTANT', [
    [
      'bank-ach',
      'invoice: { from: 7,',
      "invoice: { value: '7',",
      'columns.invoice.value: it must come from the file and cannot be the same in every row',
    ],
    [
      'bank-ach',
      'join:\n      - { from: 3, digits: 9, check: aba }\n      - { from: 4, digits: 4..17 }',
      "value: '02100002140000000'",
      'columns.accountNumber.value: it must come from the file and cannot be the same in every row',
    ],
  ]);

  finds('PROFILE_JOIN', [
    [
      'bank-ach',
      'digits: 9, check: aba',
      'digits: 8..9',
      'columns.accountNumber.join.2.digits: only one part may have a range; give this one a fixed number',
    ],
    [
      'bank-ach',
      ', digits: 4..17',
      '',
      'columns.accountNumber.join.2: say how many digits this part has: digits: 5, or 4..17 for one part',
    ],
    [
      'sage-eft',
      "text: '0'",
      "text: 'A0'",
      'columns.accountNumber.join.1.text: a text within a number has digits only',
    ],
  ]);

  finds('PROFILE_GUARD', [
    [
      'bank-ach',
      ', shape: { starts: [D], rest: digits, length: 9 }',
      '',
      'columns.invoice: a file without titles needs a shape here, such as shape: { starts: [D], rest: digits }',
    ],
  ]);
});

describe('a number', () => {
  it('that is joined of texts only would be the same in every row', () => {
    const text = changed('sage-eft', '{ from: Institution, digits: 3 }', "{ text: '1' }")
      .replace('{ from: Transit, digits: 5 }', "{ text: '2' }")
      .replace('{ from: Bank Account, digits: 5..12 }', "{ text: '3' }");
    const message = 'columns.accountNumber.join: no part comes from the file; add one with from';
    expect(faultsOf(text)).toContainEqual(expect.objectContaining({ code: 'PROFILE_JOIN', message }));
  });
});

describe('a workbook', () => {
  const text = changed('blackbaud-gifts', 'charset: windows-1252, separator: tab', 'kind: workbook, sheet: Gifts')
    .replace('from: Gift Date, format: M/D/YYYY', 'from: Gift Date, type: date')
    .replace(/number: \{[^}]*\}/, 'type: number');

  it('has types in place of forms', () => {
    expect(faultsOf(text)).toEqual([]);
    expect(faultsOf(text.replace('type: date', 'type: date, time: drop'))).toEqual([]);
  });

  it.each([
    ['type: date', 'type: number', 'columns.date.type: this column has the type date'],
    ['type: date', 'type: date, format: M/D/YYYY', 'columns.date.format: write format or type, not both'],
    [
      'from: Gift ID,',
      'from: Gift ID, excelText: accept,',
      'columns.invoice.excelText: only text files have it; leave it out for a workbook',
    ],
    [
      'expiry: { from: Expires On, format: MM/YYYY }',
      'expiry: { month: Gift ID, year: Expires On, type: date }',
      'columns.expiry.type: type needs from beside it',
    ],
    [
      'rows:',
      'rows:\n  totals: [{ when: { column: Gift ID, is: Sum }, amount: Gift Amount, cells: 3 }]',
      'rows.totals.1.cells: rows of a workbook are as wide as the titles; leave it out',
    ],
    ['sheet: Gifts', 'sheet: Gifts, quotes: none', 'read.quotes: only text files have it; leave it out for a workbook'],
    ['sheet: Gifts', 'sheet: Gifts, formulas: [Sum]', 'read.formulas.1: the file has no title "Sum"; see head.titles'],
  ])('with %j changed to %j has a fault', (part, by, message) => {
    expect(faultsOf(text.replace(part, by)).map((fault) => fault.message)).toEqual([message]);
  });

  it.each(['sheet', 'formulas'])('alone has the key %s', (key) => {
    const odd = changed('blackbaud-gifts', 'separator: tab', `separator: tab, ${key}: [Gifts]`);
    expect(faultsOf(odd).map((fault) => fault.message)).toEqual([
      `read.${key}: only workbooks have it; write kind: workbook, or leave it out`,
    ]);
  });
});
