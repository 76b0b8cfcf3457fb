import type { System } from '../systems/system.ts';
import type { SheetRow } from './sheet.ts';
import { amountOf, credits, formed, hasStatus, isTitled, type Variant } from './variant.ts';

const BLANK: SheetRow = { kind: 'blank', cells: [''] };

/** Files that are accepted with exactly their payments. */
export const ACCEPTED: readonly Variant[] = [
  { name: 'as it comes', verdict: 'accept' },
  { name: 'a single payment', verdict: 'accept', rows: (rows) => rows.slice(0, 1) },
  {
    name: 'amounts of thousands',
    verdict: 'accept',
    rows: (rows) =>
      rows.map(({ kind, payment }) => ({ kind, payment: { ...payment, cents: payment.cents * 1_000 + 7 } })),
  },
  {
    name: 'titles in capitals and with more blanks',
    verdict: 'accept',
    fits: isTitled,
    change: (sheet) => ({
      ...sheet,
      titles: sheet.titles.map((title) => ` ${title.toUpperCase().replace(' ', '  ')} `),
    }),
  },
  {
    name: 'blank rows between and behind',
    verdict: 'accept',
    change: (sheet) => ({
      ...sheet,
      rows: sheet.rows.flatMap((row) => (row.kind === 'payment' ? [row, BLANK] : [row])),
    }),
  },
  {
    name: 'rows whose status leaves them out',
    verdict: 'accept',
    code: 'PROFILE_SKIPPED',
    fits: hasStatus,
    rows: (rows) => rows.map((row, index) => (index % 3 === 2 ? { ...row, kind: 'left' } : row)),
  },
  {
    name: 'rows whose sign leaves them out',
    verdict: 'accept',
    code: 'PROFILE_SKIPPED',
    fits: ({ otherSign }) => otherSign === 'skip',
    rows: credits,
  },
  {
    name: 'every cell quoted',
    verdict: 'accept',
    fits: ({ read }) => read.quotes !== 'none',
    change: (sheet) => formed(sheet, { quotesAll: true }),
  },
  {
    name: 'line ends of Windows',
    verdict: 'accept',
    change: (sheet) => formed(sheet, { end: '\r\n' }),
  },
  {
    name: 'a byte order mark',
    verdict: 'accept',
    fits: ({ read }) => read.charset === 'utf-8',
    change: (sheet) => formed(sheet, { hasMark: true }),
  },
  {
    name: 'no line end at the end',
    verdict: 'accept',
    code: 'LAST_LINE_OPEN',
    fits: (system) => !endsReport(system) && ['text', 'expiry', 'status'].includes(system.columns.at(-1)!.holds),
    change: (sheet) => formed(sheet, { endsOpen: true }),
  },
  {
    name: 'no line end behind the last line of the report',
    verdict: 'accept',
    fits: endsReport,
    change: (sheet) => formed(sheet, { endsOpen: true }),
  },
];

function endsReport({ total, tail }: System): boolean {
  return total !== undefined || tail !== undefined;
}

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
