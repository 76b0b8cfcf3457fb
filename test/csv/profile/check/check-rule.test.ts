import { describe, expect, it } from 'vitest';
import { changed, faultsOf, finds } from '../support/changed-example.ts';

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
  });

  it.each([
    ['type: date', 'type: number', 'columns.date.type: this column has the type date'],
    ['type: date', 'type: date, format: M/D/YYYY', 'columns.date.format: write format or type, not both'],
    ['sheet: Gifts', 'sheet: Gifts, formulas: [Sum]', 'read.formulas.1: the file has no title "Sum"; see head.titles'],
  ])('with %j changed to %j has a fault', (part, by, message) => {
    expect(faultsOf(text.replace(part, by)).map((fault) => fault.message)).toEqual([message]);
  });
});
