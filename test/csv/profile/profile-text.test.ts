import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { Profile } from '../../../schemas/profiles.ts';
import { parseProfile } from '../../../src/csv/profile/parse-profile.ts';
import { profileDiff, profileHash, profileText } from '../../../src/csv/profile/profile-text.ts';
import { changed, type Example } from './support/changed-example.ts';
import { EXAMPLE_PROFILES } from './support/example-profiles.ts';
import { randomProfile } from './support/random-profile.ts';

const NAMES = Object.keys(EXAMPLE_PROFILES) as Example[];

function parsed(text: string): Profile {
  const read = parseProfile(text);
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  return read.profile;
}

describe('profileText', () => {
  it('reads back as the same profile', () => {
    fc.assert(
      fc.property(randomProfile, (profile) => {
        expect(parseProfile(profileText(profile))).toEqual({ profile });
      }),
      { numRuns: 25 },
    );
  });

  it('has the keys of the schema in its order, the columns of the layout in theirs, and no default', () => {
    const text = `
check: { misfits: hold, dates: { ahead: 366, back: 30 } }
columns: { comment: { value: '' }, amount: { sign: negate, number: { group: none, decimal: ',' }, from: C },
           invoice: { from: A }, customerCode: { from: B } }
head: { order: exact, titles: [A, B, C] }
read: { separator: comma, kind: text, charset: utf-8 }
layout: ach-code
`;
    expect(parse(profileText(parsed(text)))).toEqual({
      layout: 'ach-code',
      read: { charset: 'utf-8', separator: 'comma' },
      head: { titles: ['A', 'B', 'C'] },
      columns: {
        invoice: { from: 'A' },
        customerCode: { from: 'B' },
        amount: { from: 'C', number: { decimal: ',' }, sign: 'negate' },
        comment: { value: '' },
      },
      check: { dates: { back: 30 } },
    });
    expect(Object.keys(parse(profileText(parsed(text))).columns)).toEqual([
      'invoice',
      'customerCode',
      'amount',
      'comment',
    ]);
    expect(Object.keys(parse(profileText(parsed(text))))).toEqual(['layout', 'read', 'head', 'columns', 'check']);
  });
});

describe('profileHash', () => {
  it('is the same for another order of keys, other quotes, and comments', () => {
    fc.assert(
      fc.property(randomProfile, fc.constantFrom('QUOTE_DOUBLE', 'QUOTE_SINGLE'), (profile, quotes) => {
        const other = stringify(reversed(profile), { defaultStringType: quotes, defaultKeyType: quotes, indent: 4 });
        expect(profileHash(parsed(`# from elsewhere\n${other}\n# end\n`))).toBe(profileHash(profile));
      }),
      { numRuns: 15 },
    );
  });

  it('differs between the examples', () => {
    expect(new Set(NAMES.map((name) => profileHash(parsed(EXAMPLE_PROFILES[name])))).size).toBe(NAMES.length);
  });
});

/** Profiles that differ have other texts, because a text reads back as its profile. So they have other hashes. */
describe('one change of an example', () => {
  it.each(NAMES)('%s: makes a fault or another profile, whichever key or item it is', (name) => {
    const profile = parsed(EXAMPLE_PROFILES[name]);
    const changes = changesOf(parse(profileText(profile)));
    expect(changes.length).toBeGreaterThan(100);
    for (const change of changes) {
      const read = parseProfile(JSON.stringify(change));
      if ('faults' in read) expect(read.faults.length, JSON.stringify(change)).toBeGreaterThan(0);
      else expect(isDeepStrictEqual(read.profile, profile), JSON.stringify(change)).toBe(false);
    }
  });
});

describe('profileDiff', () => {
  it.each([
    [
      "decimal: '.'",
      "decimal: 'none', whole: allow",
      ['columns.amount.number.decimal: "." -> "none"', 'columns.amount.number.whole: "refuse" -> "allow"'],
    ],
    ['tail: 2', 'tail: 3', ['rows.tail: 2 -> 3']],
    ['  tail: 2\n', '', ['rows.tail: 2 -> 0']],
    ['skip: [Payment]', 'skip: [Payment, Credit]', ['rows.only.1.skip: + "Credit"']],
    ['within: 8', 'line: 5', ['head.within: 8 -> (none)', 'head.line: (none) -> 5']],
    [
      'ignore: [Memo/Description, Open Balance]',
      'ignore: [Open Balance, Memo/Description]',
      ['ignore: ["Memo/Description","Open Balance"] -> ["Open Balance","Memo/Description"]'],
    ],
    [
      'state: { from: Billing State }',
      'state: { from: Open Balance }',
      [
        'columns.state.from: "Billing State" -> "Open Balance"',
        'ignore: - "Open Balance"',
        'ignore: + "Billing State"',
      ],
    ],
    [
      ', must: once }',
      ' }\n    - { when: { column: Date, is: SUM }, amount: Amount }',
      ['rows.totals.2: (none) -> {"when":{"column":"Date","is":"SUM"},"amount":"Amount","of":"taken","must":"once"}'],
    ],
  ])('%j changed to %j', (part, by, lines) => {
    const before = parsed(EXAMPLE_PROFILES['quickbooks-dues']);
    const text = changed('quickbooks-dues', part, by);
    const after = parsed(
      lines.some((line) => line.startsWith('ignore: +'))
        ? text.replace('ignore: [Memo/Description, Open Balance]', 'ignore: [Memo/Description, Billing State]')
        : text,
    );
    expect(profileDiff(before, after)).toEqual(lines);
  });

  it('is empty exactly if the hashes are equal', () => {
    fc.assert(
      fc.property(randomProfile, randomProfile, (one, other) => {
        expect(profileDiff(one, other).length === 0).toBe(profileHash(one) === profileHash(other));
        expect(profileDiff(one, one)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

/** Reverses the keys everywhere. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, reversed(inner)] as const)
      .reverse(),
  );
}

/** Takes away, renames and alters each key and item, one at a time. */
function changesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => [
      value.toSpliced(index, 1),
      ...changesOf(item).map((change) => value.with(index, change)),
    ]);
  }
  if (typeof value === 'string') return [`${value}x`, 7];
  if (typeof value !== 'object' || value === null) return [Number(value) + 1, null];
  const entries = Object.entries(value);
  return entries.flatMap(([key, inner], index) => [
    Object.fromEntries(entries.toSpliced(index, 1)),
    Object.fromEntries(entries.with(index, [`${key}x`, inner])),
    ...changesOf(inner).map((change) => Object.fromEntries(entries.with(index, [key, change]))),
  ]);
}
