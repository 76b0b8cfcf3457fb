import { type ColumnKind, COLUMNS, type ColumnName } from '../../../schemas/layouts.ts';
import type { FaultCode } from '../../../schemas/errors.ts';
import { type FieldName, lengthLimit, LIMITED_FIELDS, type ServiceLimits } from '../../../schemas/fields.ts';
import { FOLDER_OPERATIONS, type Server } from '../../../schemas/operations.ts';
import { acceptsMop, type Currency, sentMop, SERVER_MOPS } from '../../../schemas/restrictions.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import { formatCents, parseAmount } from '../../kernel/money.ts';
import type { CheckRules } from '../check/check-rules.ts';
import {
  type CellRule,
  customerCodeRule,
  findDamage,
  findMonthName,
  invoiceRule,
  type LengthLimit,
  type Report,
  textRule,
} from './text.ts';

/** Builds the rule of a column from the column table and the folder's settings. It accepts empty cells too. */
export function ruleOfColumn(column: ColumnName, rules: CheckRules): CellRule {
  const { required } = COLUMNS[column];
  const checkCell = ruleOfKind(column, rules);
  return (cell, report) => {
    if (cell !== '') return checkCell(cell, report);
    if (required) report('FIELD_REQUIRED');
    return '';
  };
}

function ruleOfKind(column: ColumnName, rules: CheckRules): CellRule {
  const { kind, freeText } = COLUMNS[column];
  const limit = limitOf(column, rules.account.serviceLimits);
  switch (kind) {
    case 'date':
      return dateRule(rules.today);
    case 'invoice':
      return invoiceRule(limit);
    case 'text':
      return textRule({ ...limit, replacesCommas: freeText && rules.folder.textCommas === 'replace' });
    case 'amount':
      return amountRule(FOLDER_OPERATIONS[rules.operation].sign);
    case 'mop':
      return mopRule(rules.account);
    case 'cardNumber':
      return cardNumberRule;
    case 'expiry':
      return expiryRule(rules.today);
    case 'accountType':
      return accountTypeRule;
    case 'accountNumber':
      return accountNumberRule(rules.folder.routingCheck);
    case 'customerCode':
      return customerCodeRule(limit);
  }
}

/** Returns the length limit of the field that a column carries. */
export function limitOf(column: ColumnName, limits?: ServiceLimits): LengthLimit {
  const row: { kind: ColumnKind; field?: FieldName } = COLUMNS[column];
  const field = LIMITED_FIELDS.find((name) => name === row.field);
  if (field === undefined) return { maxLength: Infinity };
  const { most, whose } = lengthLimit(field, limits);
  return { maxLength: most, whose };
}

/** Reports what a spreadsheet did to the cell, or else the code. */
function refuse(cell: string, report: Report, code: FaultCode, damage = findDamage(cell), detail?: string): '' {
  if (damage) report('SPREADSHEET_DAMAGE', damage);
  else report(code, detail);
  return '';
}

/**
 * Returns the rule for amounts: a plain decimal with the sign of the folder's operation, sent with two places. It
 * returns an amount of the wrong sign too, because the amount still identifies the row.
 */
export function amountRule(sign: 1 | -1): CellRule {
  return (cell, report) => {
    const cents = parseAmount(cell);
    if (typeof cents === 'string') return refuse(cell, report, cents);
    if (cents === 0) {
      report('AMOUNT_ZERO');
      return '';
    }
    if (Math.sign(cents) !== sign) report('WRONG_SIGN', sign > 0 ? 'negative among charges' : 'positive among refunds');
    return formatCents(cents);
  };
}

/**
 * Returns the rule for methods of payment: listed by the server and accepted in the currency of the account. Words that
 * only the table of restrictions has are sent as the spec has them, `VISA DEBIT` as `VISA`.
 */
export function mopRule(account: { server: Server; currency: Currency }): CellRule {
  const listed: readonly string[] = SERVER_MOPS[account.server];
  const taken = listed.filter((mop) => acceptsMop(account.server, account.currency, mop));
  const all = `this account takes ${taken.join(', ') || 'no cards'}`;
  return (cell, report) => {
    const upper = cell.toUpperCase();
    const mop = sentMop(account.server, upper);
    if (!listed.includes(mop)) return refuse(cell, report, 'MOP_UNKNOWN', undefined, all);
    if (acceptsMop(account.server, account.currency, upper)) return mop;
    report('MOP_RESTRICTED', `${upper} in ${account.currency}; ${all}`);
    return '';
  };
}

/** Card number: 12 to 19 digits with a valid check digit. The row check compares it with the method of payment. */
export const cardNumberRule: CellRule = (cell, report) => {
  if (!/^\d{12,19}$/.test(cell)) return refuse(cell, report, 'CARD_FORMAT');
  if (passesLuhn(cell)) return cell;
  // Spreadsheets keep 15 digits of a number and write zeros for the rest.
  if (/^\d{15}0+$/.test(cell)) report('SPREADSHEET_DAMAGE', 'only the first 15 digits were kept');
  else report('CARD_CHECK_DIGIT');
  return '';
};

/**
 * Returns the rule for expiry dates: `MM/YY` or `MMYY`, sent as MMYY. A card is valid to the end of its month. Years
 * are 20YY.
 * @param today YYYY-MM-DD in the time zone of the account
 */
export function expiryRule(today: string): CellRule {
  const thisMonth = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7));
  return (cell, report) => {
    const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\/?(\d\d)$/.exec(cell) ?? [];
    if (month === '') {
      const lostZero = /^[1-9]\d\d$/.test(cell) ? LOST_ZERO : undefined;
      return refuse(cell, report, 'EXPIRY_FORMAT', lostZero ?? findDamage(cell) ?? findMonthName(cell));
    }
    if ((2000 + Number(year)) * 12 + Number(month) >= thisMonth) return month + year;
    report('EXPIRY_PAST');
    return '';
  };
}

const LOST_ZERO = 'the leading zero is missing';

/**
 * Returns the rule for dates: a calendar day, month first, sent as MM/DD/YYYY. The spec sets no limits, so distant days
 * are noted and sent. A year outside 1900 to 2099 is a typing error.
 * @param today YYYY-MM-DD in the time zone of the account
 */
export function dateRule(today: string): CellRule {
  const todayMs = Date.parse(today);
  return (cell, report) => {
    const [, month = '', day = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/((?:19|20)\d\d)$/.exec(cell) ?? [];
    if (!isDay(Number(year), Number(month), Number(day)))
      return refuse(cell, report, 'DATE_FORMAT', findDamage(cell) ?? findMonthName(cell));
    const days = (Date.UTC(Number(year), Number(month) - 1, Number(day)) - todayMs) / DAY_MS;
    if (Math.abs(days) > NEAR_DAYS) report('DATE_FAR', `${Math.abs(days)} days ${days < 0 ? 'ago' : 'ahead'}`);
    return `${month.padStart(2, '0')}/${day.padStart(2, '0')}/${year}`;
  };
}

/** Days up to this far away are not noted: any day of last year or next year is normal. */
export const NEAR_DAYS = 366;
const DAY_MS = 86_400_000;

/** Returns whether the calendar has this day. */
export function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month);
}

function daysOfMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : DAYS[month - 1]!;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Account type: CHECKING or SAVING. Clients also write `Savings`, so case and a final S are ignored. */
export const accountTypeRule: CellRule = (cell, report) => {
  const upper = cell.toUpperCase();
  if (upper === 'CHECKING') return upper;
  return upper === 'SAVING' || upper === 'SAVINGS' ? 'SAVING' : refuse(cell, report, 'ACCOUNT_TYPE');
};

/**
 * Returns the rule for account numbers: 4 to 26 digits.
 * @param routingCheck the first nine digits must be a US routing number with a valid check digit
 */
export function accountNumberRule(routingCheck: boolean): CellRule {
  return (cell, report) => {
    if (!/^\d{4,26}$/.test(cell)) return refuse(cell, report, 'ACCOUNT_FORMAT');
    const isRight = !routingCheck || startsWithRoutingNumber(cell);
    if (hasLostZero(cell) && (!routingCheck || startsWithRoutingNumber(`0${cell}`))) {
      report('SPREADSHEET_DAMAGE', LOST_ZERO);
    } else if (ROUNDED.test(cell)) report('SPREADSHEET_DAMAGE', 'all digits after the fifteenth are zeros');
    else if (routingCheck && isBankAlone(cell)) report('ACCOUNT_ROUTING', 'no account number follows it');
    else if (isRight) return cell;
    else report('ACCOUNT_ROUTING');
    return '';
  };
}

/** Returns whether a leading zero is lost. A padded number has 26 digits; one with 25 was a number in a spreadsheet. */
export function hasLostZero({ length }: { length: number }): boolean {
  return length === 25;
}

/** Spreadsheets keep fifteen digits of a number. Fewer than five zeros after them may belong to the account. */
const ROUNDED = /^\d{15}0{5,}$/;

/** Returns whether nothing follows the nine digits of the bank. */
export function isBankAlone({ length }: { length: number }): boolean {
  return length === 9;
}

const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1];

/** Checks the checksum of the American Bankers Association. Nine zeros pass it but are no bank. */
export function startsWithRoutingNumber(digits: string): boolean {
  if (digits.length < 9 || digits.startsWith('000000000')) return false;
  const sum = ROUTING_WEIGHTS.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0);
  return sum % 10 === 0;
}
