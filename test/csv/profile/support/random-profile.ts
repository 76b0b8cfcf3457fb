import fc from 'fast-check';
import { COLUMNS, columnsOf, LAYOUTS, type ColumnName, type LayoutName } from '../../../../schemas/layouts.ts';
import { type ColumnRule, Profile } from '../../../../schemas/profiles.ts';

/** Titles and words that YAML could take for something else. */
const ODD_TEXTS = [
  '22',
  '0x1F',
  'null',
  'yes',
  '~',
  '- a',
  'a: b',
  '#c',
  '&d',
  '*e',
  "it's",
  '"q"',
  '{x}',
  '%y',
  'Größe',
  '1e3',
];

/** Returns texts that differ from each other by their number. */
function titlesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${ODD_TEXTS[index % ODD_TEXTS.length]} ${index}`.trim());
}

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const TARGETS = { mop: ['VISA', 'MC', 'AMX', 'DSC'], accountType: ['CHECKING', 'SAVING'] } as const;

const wordsOf = (targets: readonly string[]) =>
  fc
    .uniqueArray(fc.constantFrom(...ODD_TEXTS, ''), { minLength: 1, maxLength: 5 })
    .chain((words) =>
      fc
        .array(fc.constantFrom(...targets), { minLength: words.length, maxLength: words.length })
        .map((sent) => Object.fromEntries(words.map((word, index) => [word, sent[index]!]))),
    );

const NUMBER = fc.oneof(
  fc.record({
    decimal: fc.constantFrom('.' as const, ',' as const),
    group: fc.constantFrom('space' as const, 'apostrophe' as const, 'none' as const),
    places: fc.constantFrom(2 as const, '1..2' as const),
    whole: fc.constantFrom('refuse' as const, 'allow' as const),
    symbol: fc.constantFrom('$', 'EUR', 'Fr.'),
    negative: fc
      .subarray(['minus', 'trailing-minus', 'parentheses', 'unicode-minus'] as const)
      .map((list) => [...list]),
  }),
  fc.record({ unit: fc.constant('cents' as const), digits: fc.integer({ min: 3, max: 15 }) }),
);

/** Makes a rule of a column from titles that no other rule uses. */
function ruleOf(column: ColumnName, titles: readonly [string, string]): fc.Arbitrary<ColumnRule> {
  const [from, second] = titles;
  const { kind } = COLUMNS[column];
  switch (kind) {
    case 'date':
      return fc.record({
        from: fc.constant(from),
        format: fc.constantFrom('DD.MM.YYYY', 'M/D/YY', 'YYYYMMDD'),
        time: optional(fc.constantFrom('refuse' as const, 'drop' as const)),
      });
    case 'expiry':
      return fc.oneof(
        fc.record({ from: fc.constant(from), format: fc.constantFrom('MM/YY', 'YYYY-MM') }),
        fc.constant({ from, format: 'MMM-YY', language: 'de' as const }),
        fc.constant({ month: from, year: second }),
      );
    case 'amount':
      return fc.oneof(
        fc.record({
          from: fc.constant(from),
          number: NUMBER,
          sign: fc.constantFrom('as-written' as const, 'negate' as const),
        }),
        fc.constant({
          from,
          number: { unit: 'cents' as const, digits: 9 },
          sign: { by: second, positive: ['22', ''], negative: ['no'] },
        }),
        fc.record({
          positive: fc.constant(from),
          negative: fc.constant(second),
          number: NUMBER,
          nothing: optional(fc.constant(['', '0.00'])),
        }),
      ) as fc.Arbitrary<ColumnRule>;
    case 'mop':
    case 'accountType':
      return fc.oneof(
        fc.record({ from: fc.constant(from), words: wordsOf(TARGETS[kind]) }),
        fc.record({ value: fc.constantFrom(...TARGETS[kind]) }),
      );
    case 'cardNumber':
    case 'accountNumber':
      return fc.oneof(
        fc.record({
          from: fc.constant(from),
          strip: optional(fc.constant<['space']>(['space'])),
          digits: optional(fc.constantFrom(16, '4..17')),
        }),
        fc.constant<ColumnRule>({
          join: [{ text: '0' }, { from, digits: 9, check: 'aba' as const }, { from: second, digits: '4..17' }],
        }),
      );
    case 'invoice':
    case 'customerCode':
      return fc.record({
        from: fc.constant(from),
        shape: optional(fc.constant({ starts: ['R-', '0'], rest: 'digits' as const, length: '4..9' })),
        excelText: optional(fc.constant('accept' as const)),
      });
    case 'text':
      return fc.oneof(
        fc.record({ from: fc.constant(from), empty: optional(fc.constantFrom('refuse' as const, 'keep' as const)) }),
        fc.record({ value: fc.constantFrom('', ...ODD_TEXTS) }),
        fc.constant({ from, split: ', ', part: 2, of: 2, otherwise: 'empty' as const }),
        fc.constant<ColumnRule>({ join: [{ from }, { text: ' #' }, { from: second }] }),
      );
  }
}

const layouts = Object.keys(LAYOUTS) as LayoutName[];

/** Profiles without a fault, of every layout, with every kind of rule and odd texts. */
export const randomProfile: fc.Arbitrary<Profile> = fc.constantFrom(...layouts).chain((layout) => {
  const columns = columnsOf(layout);
  const titles = titlesOf(2 * columns.length + 3);
  const rules = Object.fromEntries(
    columns.map((column, index) => [column, ruleOf(column, [titles[2 * index]!, titles[2 * index + 1]!])]),
  );
  const [kind = '', currency = '', spare = ''] = titles.slice(-3);
  return fc
    .record({
      note: fc.constantFrom('', 'two\nlines', 'Größe: "x"'),
      quotes: fc.constantFrom('double', 'none'),
      lineBreaks: fc.constantFrom('refuse', 'space'),
      order: fc.constantFrom('exact', 'any'),
      place: fc.constantFrom({}, { line: 3 }, { within: 9, above: ['22', 'Acme: Club'] }),
      columns: fc.record(rules),
      tail: fc.integer({ min: 0, max: 5 }),
      when: fc.constantFrom({ column: kind, is: '' }, [
        { column: kind, starts: 'Total ' },
        { column: currency, empty: true },
      ]),
      firstFiles: fc.integer({ min: 0, max: 10 }),
      back: fc.integer({ min: 0, max: 9_999 }),
    })
    .map(({ note, quotes, lineBreaks, order, place, columns: made, tail, when, firstFiles, back }) => {
      const written = JSON.stringify(made);
      return Profile.parse({
        layout,
        note,
        read: { charset: 'utf-8', separator: 'semicolon', quotes, lineBreaks },
        head: { titles, order, ...place },
        rows: {
          only: [{ column: kind, take: ['22'], skip: ['', '~'] }],
          totals: [{ when, rows: spare, cells: 3 }],
          tail,
        },
        columns: JSON.parse(written),
        ignore: titles
          .slice(0, -3)
          .filter((title) => !written.includes(JSON.stringify(title)))
          .concat(spare),
        check: { cells: [{ column: currency, is: ['null', 'EUR'] }], firstFiles, dates: { back } },
      });
    });
});
