import { describe, expect, it } from 'vitest';
import type { Profile } from '../../../schemas/profiles.ts';
import { parseProfile } from '../../../src/csv/profile/parse-profile.ts';
import { titlesOf, usesOfTitles } from '../../../src/csv/profile/profile-titles.ts';
import type { Example } from './support/changed-example.ts';
import { EXAMPLE_PROFILES } from './support/example-profiles.ts';

function profileOf(name: Example): Profile {
  const parsed = parseProfile(EXAMPLE_PROFILES[name]);
  if ('faults' in parsed) throw new Error(`${name} has faults`);
  return parsed.profile;
}

describe('usesOfTitles', () => {
  it('names the columns that each title feeds, in the order of the file', () => {
    const uses = [...usesOfTitles(profileOf('quickbooks-dues'))];
    expect(uses.map(([title]) => title)).toEqual(profileOf('quickbooks-dues').head.titles);
    expect(uses.filter(([, { columns }]) => columns.length === 0).map(([title]) => title)).toEqual([
      'Transaction Type',
      'Memo/Description',
      'Open Balance',
    ]);
    expect(usesOfTitles(profileOf('quickbooks-dues')).get('Customer')).toEqual({
      columns: ['firstName', 'lastName'],
      isSecret: false,
    });
  });

  it.each([
    ['quickbooks-dues', ['Card Number']],
    ['sage-eft', ['Institution', 'Transit', 'Bank Account']],
    ['bank-ach', [3, 4]],
  ] as const)('of %s marks each part of a card or account number', (name, secret) => {
    const uses = [...usesOfTitles(profileOf(name))];
    expect(uses.filter(([, { isSecret }]) => isSecret).map(([title]) => title)).toEqual(secret);
  });

  it('counts both columns of an amount and the column of its sign', () => {
    const sage = usesOfTitles(profileOf('sage-eft'));
    expect([sage.get('Debit')?.columns, sage.get('Credit')?.columns]).toEqual([['amount'], ['amount']]);
    expect(usesOfTitles(profileOf('bank-ach')).get(2)?.columns).toEqual(['amount', 'accountType']);
  });
});

describe('titlesOf', () => {
  it('numbers titles that are the same but for case and blanks', () => {
    const head = { ...profileOf('excel-de').head, titles: ['City', 'Zip', ' CITY ', 'city'] };
    expect(titlesOf({ head })).toEqual(['City#1', 'Zip', ' CITY #2', 'city#3']);
  });

  it('counts the columns of a file without titles', () => {
    expect(titlesOf(profileOf('bank-ach'))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
