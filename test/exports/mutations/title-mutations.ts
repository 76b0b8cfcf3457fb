import type { Sheet } from '../made/sheet.ts';
import { type Mutation, never, same } from './mutation.ts';

/** Titles that exporters write in place of others. */
const OTHER_TITLES = ['Amount (net)', 'Fee', 'Expiration', 'Betrag', '', 'Column1', 'Total'];

const titled =
  (mutate: Mutation['mutate']): Mutation['mutate'] =>
  (made, choose) =>
    made.sheet.titles.length > 0 ? mutate(made, choose) : undefined;

/** The titles drift. */
export const TITLE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a title is renamed',
    mutate: titled(({ sheet }, choose) => {
      const place = choose.below(sheet.titles.length);
      const other = choose.from(OTHER_TITLES.filter((title) => title !== sheet.titles[place]));
      return never({ ...sheet, titles: sheet.titles.with(place, other) });
    }),
  },
  {
    name: 'a word is added to a title',
    mutate: titled(({ sheet }, choose) => {
      const place = choose.below(sheet.titles.length);
      const word = choose.from([' (USD)', '*', ' 2', '.', ' net', ':']);
      return never({ ...sheet, titles: sheet.titles.with(place, sheet.titles[place]! + word) });
    }),
  },
  {
    name: 'a column goes',
    mutate: ({ sheet, system }, choose) => {
      const place = choose.below(system.columns.length);
      return never(withColumns(sheet, (cells) => cells.toSpliced(place, 1)));
    },
  },
  {
    name: 'a column comes',
    mutate: ({ sheet, system }, choose) => {
      const place = choose.below(system.columns.length + 1);
      const [title, cell] = choose.from([
        ['Fee', '1.00'],
        ['', ''],
        ['Tax', '0'],
        ['Region', 'North'],
      ] as const);
      const added = withColumns(sheet, (cells) => cells.toSpliced(place, 0, cell));
      return never({ ...added, titles: sheet.titles.length > 0 ? sheet.titles.toSpliced(place, 0, title) : [] });
    },
  },
  {
    name: 'a column moves',
    mutate: titled(({ sheet, system }, choose) => {
      const [from, to] = twoPlaces(system.columns.length, choose.below);
      const moved = withColumns(sheet, (cells) => cells.toSpliced(from, 1).toSpliced(to, 0, cells[from]!));
      return system.order === 'any' ? same(moved) : never(moved);
    }),
  },
  {
    name: 'a title stands twice',
    mutate: titled(({ sheet }, choose) => {
      const [from, to] = twoPlaces(sheet.titles.length, choose.below);
      return never({ ...sheet, titles: sheet.titles.with(to, sheet.titles[from]!) });
    }),
  },
  {
    name: 'titles in other letters and blanks',
    mutate: titled(({ sheet }, choose) => {
      const write = choose.from([
        (title: string) => title.toUpperCase(),
        (title: string) => title.toLowerCase(),
        (title: string) => `  ${title.replaceAll(' ', '   ')} `,
        (title: string) => title.replaceAll(' ', '\u00a0'),
      ]);
      // The capital of ß is SS, which is another title.
      return same({ ...sheet, titles: sheet.titles.map((title) => (title.includes('ß') ? title : write(title))) });
    }),
  },
  {
    name: 'the titles are missing',
    mutate: titled(({ sheet }) => never({ ...sheet, titles: [] })),
  },
  {
    name: 'the titles come again',
    mutate: titled(({ sheet }, choose) => {
      const rows = sheet.rows.toSpliced(choose.below(sheet.rows.length), 0, { kind: 'tail', cells: sheet.titles });
      return never({ ...sheet, rows });
    }),
  },
  {
    name: 'another file above the titles',
    mutate: ({ sheet, system }, choose) =>
      system.above
        ? never({ ...sheet, above: sheet.above.with(0, choose.from(['Acme Golf Club', '', 'x'])) })
        : undefined,
  },
  {
    name: 'a line more above the titles',
    mutate: titled(({ sheet }, choose) => same({ ...sheet, above: [choose.from(['Report', '']), ...sheet.above] })),
  },
];

export function twoPlaces(count: number, below: (count: number) => number): [number, number] {
  const from = below(count);
  return [from, (from + 1 + below(count - 1)) % count];
}

/** Changes all lines that have the columns. */
function withColumns(sheet: Sheet, change: (cells: readonly string[]) => string[]): Sheet {
  const width = Math.max(...sheet.rows.map(({ cells }) => cells.length));
  const rows = sheet.rows.map((row) => (row.cells.length === width ? { ...row, cells: change(row.cells) } : row));
  return { ...sheet, titles: sheet.titles.length > 0 ? change(sheet.titles) : [], rows };
}
