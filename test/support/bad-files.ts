import type { FaultCode } from '../../schemas/errors.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { CARD, cardRow, codeRow, lines, upTo } from './payment-rows.ts';

/**
 * Drop folders by name: those of every installation, and some with settings of their own. Dozens of small files with
 * the same amounts come in one day, so none of the folders looks for unusual or equal totals.
 */
export const BAD_FILE_FOLDERS: Readonly<Record<string, { operation: string } & Record<string, unknown>>> = {
  card: { operation: 'card' },
  'ach-charge': { operation: 'ach-charge' },
  'ach-refund': { operation: 'ach-refund' },
  'with-header': { operation: 'card', header: 'required' },
  'without-header': { operation: 'card', header: 'none' },
  marked: { operation: 'ach-charge', complete: { by: 'marker', suffix: '.done' } },
  small: { operation: 'ach-charge', maxBytes: 500 },
};

export type BadFile = {
  title: string;
  folder: string;
  bytes: string | Uint8Array;
  control?: string;
  /** Final state of the file; without a code, no fault is reported at all. */
  ends: 'rejected' | 'held' | 'completed';
  code?: FaultCode;
  /** Matches part of the reason in the notice. */
  says?: RegExp;
};

export const CODE_TITLES = 'Invoice #,Customer Code,Amount,Comment';
const CARD_TITLES = 'Date,Invoice #,First Name,Last Name,Street,City,State,Zip Code,Amount,MOP,Credit Card #,Expiry';
export const SECURITY_CODE = '9871';

/** Returns rows of a bad file; the invoices tell which case they belong to. */
function codes(mark: string, count = 12, change: (row: string, n: number) => string = (row) => row): string {
  return lines(upTo(count).map((n) => change(codeRow(50_000 + n, { invoice: `${mark}-${n}` }), n)));
}

function cards(mark: string, change: (row: string, n: number) => string = (row) => row): string {
  return lines(upTo(12).map((n) => change(cardRow(n, { invoice: `${mark}-${n}` }), n)));
}

function utf16(text: string, order: 'LE' | 'BE', mark: boolean): Buffer {
  const bytes = Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le');
  return order === 'LE' ? bytes : bytes.swap16();
}

const agreeing = codes('CA', 4);
const justFitting = codes('JF', 4).padEnd(500, '\n');

export const BAD_FILES: readonly BadFile[] = [
  { title: 'no bytes', folder: 'ach-charge', bytes: '', ends: 'rejected', code: 'EMPTY' },
  { title: 'no bytes but a marker', folder: 'marked', bytes: '', ends: 'rejected', code: 'EMPTY' },
  { title: 'UTF-16, little end first', folder: 'card', bytes: utf16(codes('UL'), 'LE', true), ends: 'completed' },
  { title: 'UTF-16, big end first', folder: 'card', bytes: utf16(codes('UB'), 'BE', true), ends: 'completed' },
  {
    title: 'UTF-16 without a mark',
    folder: 'card',
    bytes: utf16(codes('UN'), 'LE', false),
    ends: 'rejected',
    code: 'NOT_CSV',
    says: /UTF-16 without a byte order mark/,
  },
  {
    title: 'bytes of Latin-1',
    folder: 'card',
    bytes: Buffer.from(
      codes('LA', 3, (row, n) => (n === 2 ? row.replace('June', 'Jänner') : row)),
      'latin1',
    ),
    ends: 'rejected',
    code: 'ENCODING',
    says: /character/,
  },
  {
    title: 'a NUL in a row',
    folder: 'card',
    bytes: codes('NU', 3, (row, n) => (n === 2 ? row.replace('June', 'Ju\0ne') : row)),
    ends: 'rejected',
    code: 'CONTROL_CHARACTER',
    says: /U\+0000/,
  },
  {
    title: 'nothing but NULs, as after a power cut',
    folder: 'card',
    bytes: Buffer.alloc(4_096),
    ends: 'rejected',
    code: 'ONLY_NULS',
  },
  {
    title: 'a stray quote',
    folder: 'ach-charge',
    bytes: codes('SQ', 12, (row, n) => (n === 3 ? row.replace('June', '12" June') : row)),
    ends: 'rejected',
    code: 'STRAY_QUOTE',
  },
  {
    title: 'two stray quotes that would make one payment of two',
    folder: 'ach-charge',
    bytes: codes('TQ', 12, (row, n) => (n === 3 ? row.replace('June', '"June') : n === 4 ? `${row}"` : row)),
    ends: 'rejected',
    code: 'LINE_BREAK',
  },
  {
    title: 'mixed line ends',
    folder: 'ach-charge',
    bytes: codes('ML').replace('\n', '\r\n').replace(/\n$/, '\r'),
    ends: 'completed',
    code: 'MIXED_LINE_ENDS',
  },
  {
    title: 'one endless line',
    folder: 'card',
    bytes: 'K-1,A10000001,25.00,June dues,'.repeat(280_000),
    ends: 'rejected',
    code: 'LINE_TOO_LONG',
  },
  {
    title: 'a column too many',
    folder: 'card',
    bytes: codes('CM', 12, (row, n) => (n === 7 ? `${row},more` : row)),
    ends: 'rejected',
    code: 'COLUMN_COUNT',
    says: /5 columns, expected 4/,
  },
  {
    title: 'a column too few',
    folder: 'card',
    bytes: cards('CF', (row, n) => (n === 7 ? row.replace(',Troy', '') : row)),
    ends: 'rejected',
    code: 'COLUMN_COUNT',
    says: /11 columns, expected 12/,
  },
  {
    title: 'a number in powers of ten',
    folder: 'card',
    bytes: cards('PT', (row, n) => (n === 7 ? row.replace(CARD, '4.11E+15') : row)),
    ends: 'held',
    code: 'SPREADSHEET_DAMAGE',
  },
  {
    title: 'a refund among charges',
    folder: 'ach-charge',
    bytes: codes('RC', 12, (row, n) => (n === 7 ? row.replace('25.00', '-25.00') : row)),
    ends: 'held',
    code: 'WRONG_SIGN',
  },
  {
    title: 'charges in a folder of refunds',
    folder: 'ach-refund',
    bytes: codes('CR'),
    ends: 'rejected',
    code: 'NO_ROWS',
  },
  { title: 'titles where they may stand', folder: 'card', bytes: `${CODE_TITLES}\n${codes('HA')}`, ends: 'completed' },
  {
    title: 'titles where none may stand',
    folder: 'without-header',
    bytes: `${CODE_TITLES}\n${codes('HN')}`,
    ends: 'rejected',
    code: 'HEADER_UNEXPECTED',
  },
  {
    title: 'no titles where they must stand',
    folder: 'with-header',
    bytes: codes('HR'),
    ends: 'rejected',
    code: 'HEADER_MISSING',
  },
  {
    title: 'more bytes than the folder takes',
    folder: 'small',
    bytes: codes('TL', 40),
    ends: 'rejected',
    code: 'FILE_TOO_LARGE',
    says: /at most 500/,
  },
  { title: 'just as many bytes as the folder takes', folder: 'small', bytes: justFitting, ends: 'completed' },
  {
    title: 'a control file of other rows',
    folder: 'ach-charge',
    bytes: codes('XR'),
    control: 'rows=13\n',
    ends: 'held',
    code: 'CONTROL_TOTALS',
    says: /13 rows, the file has 12/,
  },
  {
    title: 'a control file of another total',
    folder: 'ach-charge',
    bytes: codes('XT'),
    control: 'total: 300.01\n',
    ends: 'held',
    code: 'CONTROL_TOTALS',
    says: /300\.01, the file has 300\.00/,
  },
  {
    title: 'a control file of other bytes',
    folder: 'ach-charge',
    bytes: codes('XS'),
    control: `sha256=${sha256Of('other')}\n`,
    ends: 'held',
    code: 'CONTROL_TOTALS',
    says: /sha256/,
  },
  {
    title: 'a control file that cannot be read',
    folder: 'ach-charge',
    bytes: codes('XU'),
    control: 'four payments\n',
    ends: 'held',
    code: 'CONTROL_FILE',
    says: /line 1/,
  },
  {
    title: 'a control file that agrees',
    folder: 'ach-charge',
    bytes: agreeing,
    control: `rows=4\ntotal=100.00\nsha256=${sha256Of(agreeing)}\n`,
    ends: 'completed',
  },
  {
    title: 'a titled column of security codes',
    folder: 'card',
    bytes: lines([
      `${CARD_TITLES},CVV2`,
      ...upTo(3).map((n) => `${cardRow(n, { invoice: `ST-${n}` })},${SECURITY_CODE}`),
    ]),
    ends: 'rejected',
    code: 'SECURITY_CODE',
  },
  {
    title: 'an untitled column of security codes',
    folder: 'card',
    bytes: lines(upTo(3).map((n) => `${cardRow(n, { invoice: `SU-${n}` })},${SECURITY_CODE}`)),
    ends: 'rejected',
    code: 'SECURITY_CODE',
  },
  {
    title: 'a card number in a comment',
    folder: 'card',
    bytes: codes('CC', 12, (row, n) => (n === 7 ? row.replace('June dues', `card ${CARD}`) : row)),
    ends: 'completed',
    code: 'CARD_NUMBER_IN_TEXT',
  },
];
