import { type ColumnName, COLUMNS, columnsOf, type LayoutName, layoutOf } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { counted } from '../../kernel/counted.ts';
import { maskText } from '../../kernel/mask.ts';
import type { Fault, RawRow } from '../../rows/rows.ts';

/** At least this share of a header's cells must be known titles, or words. */
const SHARE_OF_KNOWN_TITLES = 0.6;

/**
 * Returns whether the first row of a file is its header. Its amount has no digits, and most cells are known titles or
 * no cell has a digit. A row that names a security code is one too.
 *
 * Headers are not submitted, so a payment must never look like one; every payment has digits in its amount. Unknown
 * titles are faults of the header (`checkHeader`).
 */
export function isHeader(operation: FolderOperation, cells: readonly string[]): boolean {
  if (amountCellsOf(operation, cells).some((cell) => /\d/.test(cell))) return false;
  if (titlesSecurityCode(cells) || isOfWords(operation, cells)) return true;
  const known = cells.filter((cell) => columnsOfTitle(cell).length > 0).length;
  return known >= cells.length * SHARE_OF_KNOWN_TITLES;
}

/** Returns whether a row has a layout's width, no digits, and letters in most cells. Payments have digits. */
function isOfWords(operation: FolderOperation, cells: readonly string[]): boolean {
  if (!layoutOf(operation, cells.length) || cells.some((cell) => /\p{Nd}/u.test(cell))) return false;
  return cells.filter((cell) => /\p{L}/u.test(cell)).length >= cells.length * SHARE_OF_KNOWN_TITLES;
}

/** Returns whether a title row names a security code. Three digits in a row make a value, not a title. */
export function titlesSecurityCode(cells: readonly string[]): boolean {
  return cells.some(namesSecurityCode) && !cells.some((cell) => /\d{3}/.test(cell));
}

/**
 * Finds the faults of a header, even if the folder expects none. Columns in another order would swap values, and an
 * unknown title may stand over anything. The number of columns may also differ from the rows.
 * @param layout undefined when no row matches one
 */
export function checkHeader(header: RawRow, layout: LayoutName | undefined): Fault[] {
  if (!layout) return [];
  const columns = columnsOf(layout);
  if (header.cells.length !== columns.length) {
    const detail = `the header has ${counted(header.cells.length, 'column')}, the rows have ${columns.length}`;
    return [{ code: 'COLUMN_COUNT', line: header.line, detail }];
  }
  return columns.flatMap((column, index) => {
    const title = header.cells[index] ?? '';
    const named = columnsOfTitle(title);
    if (named.includes(column)) return [];
    const [other] = named;
    const called = other ? `"${COLUMNS[other].title}"` : `"${shownTitle(title)}", which is not a known title`;
    const detail = `the header calls column ${index + 1} ${called}, but here it is "${COLUMNS[column].title}"`;
    return [{ code: 'LAYOUT_FOLDER', line: header.line, column, detail } as const];
  });
}

/** Shortens a title. It is the sender's own text, and its beginning is enough to find it. */
export function shownTitle(title: string): string {
  const text = maskText(title.trim());
  return text.length > 30 ? `${text.slice(0, 30)}…` : text;
}

/** Returns the amount cell if the number of columns identifies it, otherwise all cells that may hold it. */
function amountCellsOf(operation: FolderOperation, cells: readonly string[]): readonly string[] {
  const layout = layoutOf(operation, cells.length);
  if (!layout) return cells.filter((cell) => /^\s*-?[$(]?\d/.test(cell));
  return [cells[columnsOf(layout).indexOf('amount')] ?? ''];
}

/**
 * Returns the columns that a title may mean; empty for none. Case, spaces, punctuation and remarks in brackets are
 * ignored, so the spec's `Account # (no spaces or dashes)` matches as well as `account_no`.
 */
export function columnsOfTitle(title: string): readonly ColumnName[] {
  return COLUMNS_BY_TITLE.get(plainTitle(title)) ?? [];
}

/** Returns whether a title names the card security code, which must never be in a file. */
export function namesSecurityCode(title: string): boolean {
  const plain = plainTitle(title);
  return (
    SECURITY_CODE_TITLES.has(plain) ||
    /^(?:card|creditcard|cc)?(?:cvv|cvc|cvn|csc)2?(?:no|number|num|code)?$/.test(plain)
  );
}

/** Common titles of the columns besides the spec's own. A word that may mean two columns is listed for both. */
const SYNONYMS: { readonly [Column in ColumnName]: string } = {
  date: 'payment date, transaction date, trans date',
  invoice: 'invoice, invoice no, invoice num, invoice number, invoice id, inv, inv no, reference, ref',
  firstName: 'first, given name, forename, name',
  lastName: 'last, surname, family name, name',
  fullName: 'name, customer name, payer, card holder, card holder name, name on card',
  street: 'street address, address, address 1, address line 1',
  city: 'town',
  state: 'province, state province, state or province, county, region',
  zipCode: 'zip, post code, postal code, zip postal code',
  amount: 'amt, total, sum, charge, payment amount',
  mop: 'method of payment, payment method, card type, card brand, brand',
  cardNumber:
    'credit card, credit card no, credit card num, credit card number, card, card no, card number, cc, cc num, cc no, cc number, pan',
  expiry:
    'expiry date, exp, exp date, expires, expiration, expiration date, credit card expiry, card expiry, cc exp, mmyy',
  accountType: 'acct type, bank account type',
  accountNumber: 'account, account no, account num, account number, acct, acct no, bank account, bank account number',
  customerCode: 'code, cust code, customer id, customer no, customer number, customer',
  comment: 'comments, memo, note, notes, description, remark, remarks',
};

const SECURITY_CODE_TITLES = new Set([
  'cid',
  ...['securitycode', 'verificationcode', 'verificationvalue', 'verificationnumber'].flatMap((title) => [
    title,
    `card${title}`,
  ]),
]);

const COLUMNS_BY_TITLE = indexTitles();

function indexTitles(): ReadonlyMap<string, readonly ColumnName[]> {
  const index = new Map<string, ColumnName[]>();
  for (const column of Object.keys(COLUMNS) as ColumnName[]) {
    const titles = [COLUMNS[column].title, ...SYNONYMS[column].split(',')];
    for (const plain of new Set(titles.map(plainTitle))) {
      index.set(plain, [...(index.get(plain) ?? []), column]);
    }
  }
  return index;
}

function plainTitle(title: string): string {
  return title
    .toLowerCase()
    .replace(/\([^()]*\)/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
}
