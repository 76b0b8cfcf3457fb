import type { System } from '../systems/system.ts';
import type { SheetRow } from './sheet.ts';
import { credits, formed, hasStatus, isTitled, type Variant } from './variant.ts';

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
