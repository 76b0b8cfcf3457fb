import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';

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
  'securitycode',
  'cardsecuritycode',
  'verificationcode',
  'cardverificationcode',
  'verificationvalue',
  'cardverificationvalue',
  'verificationnumber',
  'cardverificationnumber',
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
