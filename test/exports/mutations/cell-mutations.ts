import { SEPARATORS } from '../../../schemas/profiles.ts';
import type { Export } from '../made/exports.ts';
import type { Form } from '../made/sheet.ts';
import { formed } from '../made/variant.ts';
import { toWindows1252 } from '../../../src/rows/windows-1252.ts';
import type { Column } from '../systems/columns.ts';
import { type Mutated, type Mutation, never, paymentRows, placeOf, same, withCell } from './mutation.ts';

/** Changes a cell of one payment in a column. */
function cell(
  name: string,
  says: 'never' | 'same',
  isWanted: (column: Column) => unknown,
  change: (cell: string, made: Export) => string,
): Mutation {
  return {
    name,
    mutate: (made, choose) => {
      const place = placeOf(made, isWanted);
      const rows = paymentRows(made);
      if (place === undefined || rows.length === 0) return undefined;
      return { file: withCell(made.sheet, choose.from(rows), place, (text) => change(text, made)), says };
    },
  };
}

const isInvoice = ({ field }: Column) => field === 'invoice';
const isCard = ({ holds }: Column) => holds === 'card';
const isUnicode = ({ system }: Export) => system.read.charset.startsWith('utf');

/** Cells of payments are damaged or others. */
export const CELL_MUTATIONS: readonly Mutation[] = [
  cell('a digit of a card number is another', 'same', isCard, (text) =>
    text.replace(/\d(?=\D*\d$)/, (digit) => String((Number(digit) + 1) % 10)),
  ),
  cell('a card number is rounded', 'never', isCard, () => '4.22222E+15'),
  cell('the last digit of a card number is 0', 'same', isCard, (text) => text.replace(/\d$/, '0')),
  cell('a card number between other marks', 'same', isCard, (text) =>
    text.replace(/\D/g, '').replace(/(.{4})(?=.)/g, '$1.'),
  ),
  cell('a card number as text of a spreadsheet', 'same', isCard, (text) => `="${text}"`),
  cell(
    'a card that is not listed',
    'never',
    ({ holds }) => holds === 'mop',
    () => 'Diners',
  ),
  cell(
    'another card that is listed',
    'same',
    ({ holds }) => holds === 'mop',
    (text, made) => otherBrand(text, made),
  ),
  cell(
    'an account type that is not listed',
    'never',
    ({ holds }) => holds === 'accountType',
    () => 'Loan',
  ),
  cell(
    'a part of an account loses its zeros',
    'never',
    ({ part }) => part,
    (text) => text.slice(1),
  ),
  cell(
    'a part of an account is empty',
    'never',
    ({ part }) => part,
    () => '',
  ),
  cell(
    'another currency',
    'never',
    ({ word }) => word,
    () => 'JPY',
  ),
  cell(
    'no currency',
    'never',
    ({ word }) => word,
    () => '',
  ),
  cell('an invoice is empty', 'never', isInvoice, () => ''),
  cell('an invoice as text of a spreadsheet', 'same', isInvoice, (text) => `="${text}"`),
  cell(
    'a hidden character in an invoice',
    'never',
    isInvoice,
    (text, made) => text + (isUnicode(made) ? '\u200b' : '\u00ad'),
  ),
  cell('letters that look alike in an invoice', 'never', isInvoice, (text, made) =>
    isUnicode(made) ? `I\u0410-${text}` : `${text}\u00ad`,
  ),
  cell('blanks around an invoice', 'same', isInvoice, (text) => ` ${text}\u00a0`),
  cell(
    'an expiry is past',
    'same',
    ({ holds }) => holds === 'expiry',
    (text) => text.replace(/(?:20)?(?:2[6-9]|3\d)/, (year) => (year.length === 4 ? '2020' : '20')),
  ),
  cell(
    'an expiry is empty',
    'never',
    ({ holds }) => holds === 'expiry',
    () => '',
  ),
  cell(
    'a date is no day',
    'never',
    ({ form, rules }) => rules?.('').date && !form!.includes('MMM'),
    () => '31/02/2026',
  ),
  cell(
    'a date is a number of days',
    'never',
    ({ rules }) => rules?.('').date,
    () => '46188',
  ),
  cell(
    'a customer code is another text',
    'never',
    ({ rules }) => rules?.('').customerCode,
    () => '=1',
  ),
  cell(
    'a card number in a text',
    'same',
    ({ field }) => field === 'lastName' || field === 'comment',
    () => '4222222222222220',
  ),
  form('byte order mark', 'same', () => ({ hasMark: true })),
  form('other line ends', 'same', (_, choose) => ({ end: choose.from(['\n', '\r\n', '\r']) })),
  form('every cell quoted', 'same', () => ({ quotesAll: true })),
  form('no line end at the end', 'same', () => ({ endsOpen: true })),
  form('another separator', 'same', (_, choose) => ({ separator: choose.from(Object.values(SEPARATORS)) })),
  form('another character set', 'same', (_, choose) => ({ charset: choose.from(['utf-8', 'utf-16', 'windows-1252']) })),
  {
    name: 'a line that names a separator',
    mutate: ({ sheet }, choose) =>
      same({ ...sheet, above: [`sep=${choose.from(Object.values(SEPARATORS))}`, ...sheet.above] }),
  },
  {
    name: 'a quote is lost',
    mutate: ({ sheet }, choose) => {
      const rows = sheet.rows.flatMap(({ kind }, index) => (kind === 'payment' ? [index] : []));
      const index = rows.length === 0 ? -1 : choose.from(rows);
      const row = sheet.rows[index];
      if (!row || row.raw !== undefined) return undefined;
      const place = choose.below(row.cells.length);
      const raw = row.cells.with(place, `"${row.cells[place]!}`).join(sheet.form.separator);
      return never({ ...sheet, rows: sheet.rows.with(index, { ...row, raw }) });
    },
  },
];

function otherBrand(text: string, { profile }: Export): string {
  return Object.keys(profile.columns.mop!.words!).find((word) => word !== text)!;
}

/** Changes how the text of a file becomes bytes. */
function form(
  name: string,
  says: 'never' | 'same',
  change: (made: Export, choose: Parameters<Mutation['mutate']>[1]) => Partial<Form>,
): Mutation {
  return {
    name,
    mutate: (made, choose): Mutated | undefined => {
      const file = formed(made.sheet, change(made, choose));
      const isWritable = file.form.charset.startsWith('utf') || toWindows1252(JSON.stringify(file)) !== undefined;
      return isWritable ? { file, says } : undefined;
    },
  };
}
