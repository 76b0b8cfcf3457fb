import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkForms } from '../../../../src/csv/profile/check/check-forms.ts';
import { compileDateForm, compileExpiryForm } from '../../../../src/csv/profile/date-form.ts';
import { parseProfile } from '../../../../src/csv/profile/parse-profile.ts';
import { finds } from '../support/changed-example.ts';
import { EXAMPLE_PROFILES } from '../support/example-profiles.ts';

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
