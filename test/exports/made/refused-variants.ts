import { amountOf, formed, isTitled, type Variant } from './variant.ts';

/** Files that are not what the profile reads. */
export const REFUSED: readonly Variant[] = [
  {
    name: 'a column more',
    verdict: 'reject',
    code: 'TITLES_DIFFER',
    fits: isTitled,
    change: (sheet) => ({
      ...sheet,
      titles: [...sheet.titles, 'Fee'],
      rows: sheet.rows.map((row) => ({ ...row, cells: [...row.cells, '1.00'] })),
    }),
  },
  {
    name: 'a title that is renamed',
    verdict: 'reject',
    code: 'TITLES_DIFFER',
    fits: isTitled,
    change: (sheet, system) => ({ ...sheet, titles: sheet.titles.with(amountOf(system), 'Amount (net)') }),
  },
  {
    name: 'another separator',
    verdict: 'reject',
    code: 'TITLES_DIFFER',
    fits: isTitled,
    change: (sheet) => formed(sheet, { separator: sheet.form.separator === ';' ? '|' : ';' }),
  },
  {
    name: 'the report of another company',
    verdict: 'reject',
    code: 'ABOVE_DIFFERS',
    fits: ({ above }) => above !== undefined,
    change: (sheet) => ({ ...sheet, above: ['Acme Golf Club Inc', ...sheet.above.slice(1)] }),
  },
  {
    name: 'a row with a cell too many',
    verdict: 'reject',
    code: 'COLUMN_COUNT',
    change: (sheet) => ({
      ...sheet,
      rows: sheet.rows.with(0, { ...sheet.rows[0]!, cells: [...sheet.rows[0]!.cells, 'x'] }),
    }),
  },
  {
    name: 'a row with a cell too few',
    verdict: 'reject',
    code: 'COLUMN_COUNT',
    change: (sheet) => ({
      ...sheet,
      rows: sheet.rows.with(0, { ...sheet.rows[0]!, cells: sheet.rows[0]!.cells.slice(1) }),
    }),
  },
  {
    name: 'its titles again among the rows',
    verdict: 'reject',
    code: 'ROW_MISPLACED',
    // Among the first lines it would be a second title row.
    fits: (system) => isTitled(system) && system.above === undefined,
    change: (sheet) => ({ ...sheet, rows: sheet.rows.toSpliced(1, 0, { kind: 'tail', cells: sheet.titles }) }),
  },
  {
    name: 'a payment behind the total',
    verdict: 'reject',
    code: 'ROW_MISPLACED',
    fits: ({ total, subtotals }) => total?.must === 'once' && !subtotals,
    change: (sheet) => ({ ...sheet, rows: [...sheet.rows.slice(1), sheet.rows[0]!] }),
  },
  {
    name: 'letters of another character set',
    verdict: 'reject',
    code: 'CHARSET_DOUBT',
    fits: ({ read }) => !read.charset.startsWith('utf'),
    rows: (rows) =>
      rows.map(({ kind, payment }) => ({ kind, payment: { ...payment, comment: 'Fée', lastName: 'Müller' } })),
    change: (sheet) => formed(sheet, { charset: 'utf-8' }),
  },
];
