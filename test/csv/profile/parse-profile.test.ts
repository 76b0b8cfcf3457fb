import { describe, expect, it } from 'vitest';
import { parseProfile } from '../../../src/csv/profile/parse-profile.ts';
import { changed, type Example, faultsOf } from './support/changed-example.ts';
import { EXAMPLE_PROFILES } from './support/example-profiles.ts';

const NAMES = Object.keys(EXAMPLE_PROFILES) as Example[];

describe('the six examples', () => {
  it.each(NAMES)('%s has no fault at its folder', (name) => {
    expect(faultsOf(EXAMPLE_PROFILES[name], name)).toEqual([]);
  });

  it.each(NAMES)('%s may stand below its name', (name) => {
    const text = `profiles:\n  ${name}:${EXAMPLE_PROFILES[name].replaceAll('\n', '\n    ')}`;
    const alone = parseProfile(EXAMPLE_PROFILES[name]);
    expect(parseProfile(text)).toEqual({ ...alone, name });
    expect(faultsOf(text.replace('layout:', 'layuot:'))[0]).toMatchObject({
      line: 2,
      message: 'layout: it is missing',
    });
  });
});

describe('a fault', () => {
  it('is named with the line of its key', () => {
    const text = changed('quickbooks-dues', 'from: Card Exp', 'from: Card Expp');
    const line = text.split('\n').findIndex((one) => one.includes('Card Expp')) + 1;
    expect(faultsOf(text)).toContainEqual(expect.objectContaining({ code: 'PROFILE_TITLE_UNKNOWN', line }));
  });

  it('is named with the line of its item', () => {
    const text =
      'layout: ach\nread: { charset: utf-8, separator: comma }\nhead:\n  titles:\n    - A\n    - 5\ncolumns: {}\n';
    expect(faultsOf(text)).toEqual([
      { code: 'PROFILE_KEY', line: 6, message: 'head.titles.2: put 5 in quotes, so that it is a text' },
    ]);
  });

  it('comes with all others of its stage, in order of their lines', () => {
    const text = changed('bank-ach', 'digits: 9, check: aba', 'digits: 8..9').replace('ignore: [8]', '');
    expect(faultsOf(text).map(({ code }) => code)).toEqual(['PROFILE_TITLE_OPEN', 'PROFILE_JOIN']);
  });

  it('shows no card number of a key that is not known', () => {
    const shown = JSON.stringify(faultsOf('"4222222222222220": 1'));
    expect(shown).toContain('************2220: there is no such key');
    expect(shown).not.toContain('42222222');
  });
});

describe('a text that is no profile', () => {
  it.each([
    ['', 'the profile: it is empty; write keys with values'],
    ['- a', 'the profile: write keys with values here'],
    ['card', 'the profile: write keys with values here'],
    ['a: [', 'this is not YAML: bad indent'],
    ['a: 1\na: 2', 'this is not YAML: duplicate key'],
    ['profiles: {}', 'profiles: write exactly one profile, by its name'],
    ['profiles: { a: {}, b: {} }', 'profiles: write exactly one profile, by its name'],
    ['profiles: { A_b: {} }', 'profiles: "A_b" is not a name; use up to 40 lower-case letters, digits and hyphens'],
    ['profiles: { a: {} }\nfolders: []', 'folders: beside profiles there is no other key'],
  ])('%j is refused', (text, message) => {
    expect(faultsOf(text)).toContainEqual({ code: 'PROFILE_KEY', line: expect.any(Number), message });
  });

  it('is refused unread when it is larger than 64 KiB', () => {
    expect(faultsOf(`note: ${'é'.repeat(32_768)}`)).toEqual([
      { code: 'PROFILE_KEY', line: 1, message: 'the text is larger than 64 KiB' },
    ]);
  });
});
