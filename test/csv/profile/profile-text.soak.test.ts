import { isDeepStrictEqual } from 'node:util';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { ColumnRule, Profile } from '../../../schemas/profiles.ts';
import { parseProfile, profileDiff, profileHash, profileText } from '../../../src/csv/profile/profile-text.ts';
import { dayOf } from '../../../src/csv/workbook/cell-value.ts';
import { type MadeCell, makeWorkbook, STYLE, styled } from '../workbook/support/make-workbook.ts';
import { EXAMPLE_NAMES } from './support/example-files.ts';
import { changed, faultsOf } from './support/read-example.ts';
import { EXAMPLE_PROFILES } from './support/example-profiles.ts';
import { randomProfile } from './support/random-profile.ts';
import { checkByBytes } from '../compare/check-by-bytes.ts';
import { chunksOf, rulesWith } from '../support.ts';

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
    const hashes = EXAMPLE_NAMES.map((name) => profileHash(parsed(EXAMPLE_PROFILES[name])));
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

/** Profiles that differ have other texts, because a text reads back as its profile. So they have other hashes. */
describe('one change of an example', () => {
  it.each(EXAMPLE_NAMES)('%s: makes a fault or another profile, whichever key or item it is', (name) => {
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

describe('the six examples', () => {
  it.each(EXAMPLE_NAMES)('%s has no fault at its folder', (name) => {
    expect(faultsOf(EXAMPLE_PROFILES[name], name)).toEqual([]);
  });

  it.each(EXAMPLE_NAMES)('%s may stand below its name', (name) => {
    const text = `profiles:\n  ${name}:${EXAMPLE_PROFILES[name].replaceAll('\n', '\n    ')}`;
    const alone = parseProfile(EXAMPLE_PROFILES[name]);
    expect(parseProfile(text)).toEqual({ ...alone, name });
    expect(faultsOf(text.replace('layout:', 'layuot:'))[0]).toMatchObject({
      line: 2,
      message: 'layout: it is missing',
    });
  });
});

const numbered = (word: string, count: number, end = '') =>
  Array.from({ length: count }, (_, at) => `${word} ${at}${end}`).join(', ');

describe('a long profile', () => {
  it.each([
    ['titles', 'Amount]', `Amount, ${numbered('Field', 480)}]`, `ignore: [${numbered('Field', 480)}, `],
    ['words', 'Visa: VISA', `Visa: VISA, ${numbered('Visa', 1_500, ': VISA')}`, 'ignore: ['],
  ])('with very many %s is read within the time of a test', (_, from, to, ignore) => {
    const parsed = parseProfile(changed('quickbooks-dues', from, to).replace('ignore: [', ignore));
    expect('profile' in parsed && profileHash(parsed.profile)).toMatch(/^[0-9a-f]{64}$/);
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

const PLACE = { operation: 'card', account: { server: 'NA', country: 'US', currency: 'USD' } } as const;

describe('documented example', async () => {
  const page = await readFile(new URL('../../../docs/file-formats.md', import.meta.url), 'utf8');
  const checkBy = (text: string, file: string | Buffer) =>
    checkByBytes(chunksOf(file), rulesWith({ ...PLACE, profile: parsed(text) }));

  it('the example of a profile in docs/file-formats.md reads its file as the page says', async () => {
    const [, text = '', file = ''] = /```yaml\n([^`]*)```\n\n```\n([^`]*)```\n\nThis file has one payment/.exec(page)!;
    expect(faultsOf(text)).toEqual([]);
    const { payments, check } = await checkBy(text, file);
    expect(payments.map(({ canonical }) => canonical)).toEqual([['R-1001', 'K-17', '1234.50', 'Beitrag Juni']]);
    expect(check).toMatchObject({ verdict: 'accept', profile: { skipped: [{ rows: 1, cents: 2_000 }] } });
  });

  it('the example of a workbook is read as the page says', async () => {
    const example = /```yaml\n([^`]*)```\n\n\| \| A [^\n]*\n[^\n]*\n(.*?)\n\nThis sheet has/s.exec(page);
    const [, text = '', table = ''] = example!;
    const rows = table.split('\n').map((line) => line.split('|').slice(2, -1));
    const { payments, check } = await checkBy(text, makeWorkbook({ rows: rows.map((cells) => cells.map(madeCell)) }));
    expect(payments.map(({ canonical }) => canonical)).toEqual([
      ['1001', 'A10000001', '20.10', 'June dues'],
      ['1002', 'A10000002', '30.00', 'June dues'],
    ]);
    expect(check).toMatchObject({
      verdict: 'accept',
      profile: { lines: { above: 1, titles: 1, payment: 2, total: 1 } },
    });
  });

  it('the rules for cells of a workbook that the page lists can be written in a profile', () => {
    const rules = [...page.matchAll(/^\| `\w+: (\{ from: \w+, type: \w+ \})` \|/gm)].map(([, rule = '']) => rule);
    expect(rules.length).toBeGreaterThan(2);
    for (const rule of rules) expect(ColumnRule.safeParse(parse(rule)).success).toBe(true);
  });
});

/** Makes the cell that a person types so. */
function madeCell(typed: string): MadeCell {
  const text = typed.trim();
  if (text === '') return undefined;
  if (text.startsWith('`=SUM')) return { xml: '<c r="@"><f>SUM(D3:D4)</f><v>50.1</v></c>' };
  const day = dayOf(text);
  if (day !== undefined) return styled(day, STYLE.date);
  return /^[\d.]+$/.test(text) ? Number(text) : text;
}

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
