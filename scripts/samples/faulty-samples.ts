import type { ColumnName, LayoutName } from '../../schemas/layouts.ts';
import type { FolderConfig } from '../../schemas/config.ts';
import { type FaultCode, PROFILE_CODES } from '../../schemas/errors.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import { headerOf, makeRow, makeRows, type RowPlan } from './make-rows.ts';

/** The reason for every code of an encrypted file. */
const ENCRYPTED = 'needs an OpenPGP key of your own, or of your sender, and settings of the account or the folder';

/** The reason for every code that only an import profile can cause. */
const PROFILED = Object.fromEntries(
  PROFILE_CODES.map((code) => [code, 'needs a folder with an import profile']),
) as Record<(typeof PROFILE_CODES)[number], string>;

/** Codes that a file cannot show by itself, and why. */
export const NOT_IN_A_FILE = {
  DUPLICATE_FILE: 'needs the same bytes to have been taken before: drop any valid sample twice, under two names',
  NAME_SEEN_BEFORE:
    'needs another file of the same name to have been taken before: drop a sample, add a row, drop again',
  MODIFIED_AFTER_CLAIM: 'needs a program that goes on writing into the file after it was taken',
  POISON_FILE:
    'needs a fault of the program, or a machine without memory enough, that ends every process that reads it',
  SAME_ROWS: 'needs the same rows to have been taken before: drop a sample, move its last line to the top, drop again',
  LIKE_ROW:
    'Needs the keys of the ledger: copy a row of a sample, write its invoice in small letters, and drop the file.',
  CHARGED_BEFORE:
    'needs one of its rows to have been taken before: drop a sample, and then a file of one row of it and others',
  LIKE_CHARGED:
    'needs one of its rows to have been taken before: drop a sample, and then a row of it with the invoice in small letters',
  COLUMNS_SWAPPED:
    'needs customer codes of another shape to have been taken before: drop a sample, then one whose first two columns have changed places',
  SAME_TOTALS:
    'needs another file of as many rows and the same total on that day: drop a sample, change the invoices, drop again',
  LIMIT_DAY_TOTAL: 'needs limits.dayTotal of the account: set it to less than two samples have and drop both',
  UNUSUAL_ROWS: 'needs four smaller files taken before in the folder',
  UNUSUAL_TOTAL: 'needs four files of smaller totals taken before in the folder',
  APPROVAL_DUE: 'needs secondPerson.refunds of the account: set it and drop any refunds',
  OTHER_MERCHANT: 'needs an account that came to mean another merchant while the file lay there',
  SENT_BEFORE: 'needs a ledger that was restored from a backup made before the file was sent',
  ROWS_SENT_BEFORE: 'needs a ledger that was restored from a backup made before some of its rows were sent',
  ROWS_NOT_KNOWN: 'needs a ledger that was restored, and calls that only the service knows',
  FILE_TOO_LARGE:
    'needs a file above maxBytes of its folder, which is 1 GiB unless it is set: set it to 100 and drop any',
  PGP_NO_KEY: ENCRYPTED,
  PGP_PLAIN: ENCRYPTED,
  PGP_WRONG_KEY: ENCRYPTED,
  PGP_MESSAGE: ENCRYPTED,
  PGP_UNSIGNED: ENCRYPTED,
  PGP_SIGNER: ENCRYPTED,
  PGP_SIGNER_EXPIRED: ENCRYPTED,
  PGP_SIGNATURE: ENCRYPTED,
  ...PROFILED,
  LINES_DIFFER: 'cannot be reached: every line that is not blank is read as a row; it is there should that ever break',
} as const satisfies Partial<Record<FaultCode, string>>;

type ShownCode = Exclude<FaultCode, keyof typeof NOT_IN_A_FILE>;

/**
 * How a file shows one code and no other, starting from twelve valid rows.
 * - `shows` what is wrong, in the sender's words
 * - `cells` replacements for cells of the fifth row
 * - `write` makes the file from the rows, when changing cells is not enough
 * - `control` content of its control file
 * - `account` of samples/paydrop.yaml; `main` if omitted
 * - `folder` settings of the drop folder without which the file would pass
 * - `beside` other codes that it unavoidably shows
 */
type Recipe = {
  readonly operation: FolderOperation;
  readonly layout: LayoutName;
  readonly shows: string;
  readonly cells?: Partial<Record<ColumnName, string>>;
  readonly write?: (rows: readonly string[]) => string | Uint8Array;
  readonly control?: string;
  readonly account?: 'canada';
  readonly folder?: Partial<Pick<FolderConfig, 'header' | 'finalNewline' | 'limits'>>;
  readonly beside?: readonly FaultCode[];
};

const CARD = { operation: 'card', layout: 'card' } as const;
const CARD_CODE = { operation: 'card', layout: 'card-code' } as const;
const ACH = { operation: 'ach-charge', layout: 'ach' } as const;
const ACH_CODE = { operation: 'ach-charge', layout: 'ach-code' } as const;
const REFUND = { operation: 'ach-refund', layout: 'ach' } as const;

const RECIPES: Readonly<Record<ShownCode, Recipe>> = {
  FIELD_REQUIRED: { ...CARD_CODE, shows: 'no customer code', cells: { customerCode: '' } },
  FIELD_TOO_LONG: { ...ACH_CODE, shows: 'a comment like a letter', cells: { comment: 'Dues for June. '.repeat(8) } },
  FIELD_COMMA: { ...CARD, shows: 'a comma in the invoice number', cells: { invoice: '"FIECOM-1005,B"' } },
  FIELD_CHARACTER: { ...CARD_CODE, shows: 'a space in the customer code', cells: { customerCode: 'A10 10069' } },
  AMOUNT_FORMAT: { ...CARD, shows: 'a currency sign', cells: { amount: '$40.00' } },
  AMOUNT_ZERO: { ...ACH, shows: 'an amount of nothing', cells: { amount: '0.00' } },
  AMOUNT_LIMIT: { ...CARD, shows: 'zeros too many', cells: { amount: '4000000000.00' } },
  DATE_FORMAT: { ...CARD, shows: 'the day before the month', cells: { date: '15/06/2026' } },
  DATE_FAR: { ...CARD, shows: 'a date of another decade', cells: { date: '06/15/2016' } },
  STATE_UNKNOWN: { ...CARD, shows: 'a state that does not exist', cells: { state: 'ZZ' } },
  ZIP_SHORT: { ...CARD, shows: 'a zip code of four digits', cells: { zipCode: '1218' } },
  CARD_FORMAT: { ...CARD, shows: 'spaces in the card number', cells: { cardNumber: '4222 2222 2222 2220' } },
  CARD_CHECK_DIGIT: { ...CARD, shows: 'a wrong digit', cells: { cardNumber: '4222222222222221' } },
  CARD_BRAND: { ...CARD, shows: 'a Visa number paid as Mastercard', cells: { mop: 'MC' } },
  MOP_UNKNOWN: { ...CARD, shows: 'a payment in cash', cells: { mop: 'CASH' } },
  MOP_RESTRICTED: {
    operation: 'card',
    layout: 'card-ca',
    account: 'canada',
    shows: 'Discover in Canadian dollars',
    cells: { mop: 'DSC' },
  },
  EXPIRY_FORMAT: { ...CARD, shows: 'a thirteenth month', cells: { expiry: '13/35' } },
  EXPIRY_PAST: { ...CARD, shows: 'a card that has expired', cells: { expiry: '01/20' } },
  ACCOUNT_FORMAT: { ...ACH, shows: 'a dash in the number', cells: { accountNumber: '021000021-40031676' } },
  ACCOUNT_ROUTING: {
    ...ACH,
    shows: 'a wrong digit in the routing number',
    cells: { accountNumber: '02100002200000000040031676' },
  },
  ACCOUNT_TYPE: { ...ACH, shows: 'a type that is none', cells: { accountType: 'CHEQUE' } },
  CARD_NUMBER_IN_TEXT: { ...CARD_CODE, shows: 'a card number as comment', cells: { comment: 'card 4222222222222220' } },

  TITLES_REPEATED: {
    ...ACH,
    shows: 'two exports in one file',
    write: (rows) => lines([headerOf('ach'), ...rows.slice(0, 4), headerOf('ach'), ...rows.slice(4)]),
  },
  COLUMN_COUNT: {
    ...ACH,
    shows: 'a row without its comment',
    write: (rows) => fifth(rows, rows[4]!.replace(/,[^,]*$/, '')),
  },
  STRAY_QUOTE: { ...ACH_CODE, shows: 'a sign for inches', cells: { comment: 'Screen 12" wide' } },
  LINE_BREAK: { ...ACH_CODE, shows: 'a quote that is never closed', cells: { comment: '"June dues' } },
  CONTROL_CHARACTER: { ...CARD_CODE, shows: 'a tabulator', cells: { comment: 'June\tdues' } },
  ENCODING: {
    ...CARD,
    shows: 'a name saved in another character set',
    write: (rows) => Buffer.from(fifth(rows, rows[4]!.replace('Barbara', 'Bárbara')), 'latin1'),
  },
  LINE_TOO_LONG: { ...ACH_CODE, shows: 'a whole text pasted', cells: { comment: 'June dues. '.repeat(1_600) } },
  SECURITY_CODE: {
    ...CARD,
    shows: 'a column of security codes',
    // The rows of such a file are not checked, so all of them count as invalid.
    beside: ['TOO_MANY_BAD_ROWS'],
    write: (rows) => lines([`${headerOf('card')},CVV`, ...rows.map((row) => `${row},123`)]),
  },
  HEADER_MISSING: { ...CARD, folder: { header: 'required' }, shows: 'no titles' },
  HEADER_UNEXPECTED: {
    ...CARD,
    folder: { header: 'none' },
    shows: 'titles',
    write: (rows) => lines([headerOf('card'), ...rows]),
  },
  NOT_CSV: {
    ...ACH,
    shows: 'an HTML table under the name of a CSV file',
    write: (rows) =>
      `<table>\n${lines(rows.map((row) => `<tr><td>${row.replaceAll(',', '</td><td>')}</td></tr>`))}</table>\n`,
  },
  WRONG_SEPARATOR: {
    ...CARD,
    shows: 'semicolons between the cells',
    write: (rows) => lines(rows).replaceAll(',', ';'),
  },
  ONLY_NULS: { ...ACH, shows: 'space that was reserved and not filled yet', write: () => '\0'.repeat(64) },
  EMPTY: { ...ACH, shows: 'nothing at all', write: () => '' },
  NO_ROWS: { ...ACH, shows: 'titles and no payment', write: () => lines([headerOf('ach')]) },
  LAYOUT_COUNTRY: { operation: 'card', layout: 'card-ca', shows: 'the Canadian layout for an account in the US' },
  LAYOUT_FOLDER: {
    ...CARD_CODE,
    shows: 'titles in another order than the columns have',
    write: (rows) => lines(['Customer Code,Invoice #,Amount,Comment', ...rows]),
  },

  WRONG_SIGN: { ...REFUND, shows: 'a charge among refunds', cells: { amount: '40.00' } },
  SPREADSHEET_DAMAGE: { ...CARD, shows: 'a number in powers of ten', cells: { cardNumber: '4.22222E+15' } },
  DUPLICATE_ROW: { ...ACH, shows: 'one payment twice', write: (rows) => lines(rows.toSpliced(7, 0, rows[4]!)) },
  CONTROL_TOTALS: { ...ACH, shows: 'a row fewer than announced', control: 'rows=13\n' },
  CONTROL_FILE: { ...ACH, shows: 'a control file in words', control: 'twelve rows\n' },
  TOO_MANY_BAD_ROWS: {
    ...CARD,
    shows: 'every fourth card expired',
    beside: ['EXPIRY_PAST'],
    write: (rows) => lines(rows.map((row, index) => (index % 4 === 0 ? row.replace('12/35', '12/19') : row))),
  },
  NO_FINAL_NEWLINE: {
    ...REFUND,
    folder: { finalNewline: 'hold' },
    shows: 'no line end behind the last row',
    write: (rows) => rows.join('\n'),
  },

  LIMIT_ROW_AMOUNT: {
    ...ACH,
    folder: { limits: { rowAmount: 500 } },
    shows: 'a decimal point too far to the right',
    cells: { amount: '4000.00' },
  },
  LIMIT_FILE_ROWS: { ...CARD_CODE, folder: { limits: { fileRows: 11 } }, shows: 'a row more than eleven' },
  LIMIT_FILE_TOTAL: { ...REFUND, folder: { limits: { fileTotal: 100 } }, shows: 'refunds of more than 100.00 in all' },

  TEXT_REPLACED: { ...ACH, shows: 'a comma in a name', cells: { lastName: '"Liskov, Jr."' } },
  LAST_LINE_OPEN: { ...REFUND, shows: 'no line end behind the last row', write: (rows) => rows.join('\n') },
  MIXED_LINE_ENDS: {
    ...ACH_CODE,
    shows: 'line ends of two systems',
    write: (rows) => rows.map((row, index) => row + (index < 6 ? '\r\n' : '\n')).join(''),
  },
};

export type FaultySample = Recipe & { code: FaultCode; file: string };

/** One file per code, in the order of the error table. */
export const FAULTY_SAMPLES: readonly FaultySample[] = (Object.keys(RECIPES) as ShownCode[]).map((code) => ({
  ...RECIPES[code],
  code,
  file: `faulty/${RECIPES[code].operation}/${code}.csv`,
}));

export function renderFaultySample({ code, operation, layout, cells, write = lines }: FaultySample): Buffer {
  const plan: RowPlan = {
    layout,
    rows: 12,
    invoices: invoicesOf(code),
    sign: FOLDER_OPERATIONS[operation].sign < 0 ? '-' : '',
  };
  const rows = makeRows(plan);
  return Buffer.from(write(cells ? rows.with(4, makeRow(plan, 4, cells)) : rows));
}

/** Gives each file its own invoices, so that files dropped together are not duplicates of each other. */
function invoicesOf(code: FaultCode): string {
  return code
    .split('_')
    .map((word) => word.slice(0, 3))
    .join('');
}

function lines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join('');
}

function fifth(rows: readonly string[], row: string): string {
  return lines(rows.with(4, row));
}
