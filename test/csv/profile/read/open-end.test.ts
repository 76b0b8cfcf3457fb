import { describe, expect, it } from 'vitest';
import type { Title } from '../../../../schemas/profiles.ts';
import { mayBeCut } from '../../../../src/csv/profile/read/open-end.ts';
import { exampleProfile } from '../support/example-files.ts';
import { testCases } from '../support/file-cases.ts';

describe('a last line without a line end', () => {
  it.each<[Parameters<typeof exampleProfile>[0], Title, boolean]>([
    ['sage-eft', 'Bank Account', true],
    ['sage-eft', 'Document No', true],
    ['sage-eft', 'Debit', false],
    ['sage-eft', 'Details', false],
    ['sage-eft', 'Doc Date', false],
    ['xero-invoices', 'Status', false],
    ['xero-invoices', 'AccountNumber', true],
    ['blackbaud-gifts', 'Credit Type', false],
    ['blackbaud-gifts', 'Credit Card Number', false],
    ['excel-de', 'Betrag', true],
    ['bank-ach', 4, true],
    ['bank-ach', 5, false],
  ])('of %s, where "%s" is the last column, may be the beginning of another payment: %s', (name, title, isSo) => {
    expect(mayBeCut(exampleProfile(name), title)).toBe(isSo);
  });

  const withCodeLast = (lines: string[]) => lines.map((line) => line.replace(/^([^,]*),([^,]*),(.*)$/, '$1,$3,$2'));
  const cutOff = (text: string) => text.slice(0, -1);
  testCases([
    {
      given: 'a payment that ends with its customer code',
      name: 'xero-invoices',
      change: (text) => withCodeLast(text.split('\n').slice(0, 3)).join('\n'),
      profile: exampleProfile('xero-invoices', ['head:\n', 'head:\n  order: any\n']),
      verdict: 'H',
    },
    {
      given: 'a row that is left out at the end',
      name: 'xero-invoices',
      change: cutOff,
      verdict: 'T',
    },
    { given: 'a total row at the end', name: 'excel-de', change: cutOff, verdict: 'T' },
  ]);
});
