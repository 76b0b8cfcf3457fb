import type { ColumnName } from '../../../schemas/layouts.ts';
import type { ColumnRule, Title } from '../../../schemas/profiles.ts';
import { DATE_FORMS, EXPIRY_FORMS, WORDS } from '../../csv/profile/support/made-forms.ts';
import type { MadePayment } from '../../csv/profile/support/made-payments.ts';
import type { Money } from './money.ts';

/** A row that the accounting system knows: a payment, or one that its status or its sign leaves out. */
export type KnownRow = { readonly kind: 'payment' | 'left' | 'credit'; readonly payment: MadePayment };

/** What the cells of a column are like. Two of the same kind can be taken for each other. */
export type Holds =
  | 'date'
  | 'text'
  | 'code'
  | 'money'
  | 'mop'
  | 'card'
  | 'expiry'
  | 'accountType'
  | 'bank'
  | 'status'
  | 'currency';

/** A column of an export. One without rules is not sent. */
export type Column = {
  readonly title: string;
  readonly holds: Holds;
  readonly cell: (row: KnownRow) => string;
  /** The rules of the layout columns that are read from it. `title` is its number in a file without titles. */
  readonly rules?: (title: Title) => Partial<Record<ColumnName, ColumnRule>>;
  /** What of a payment its cells are, as they stand. */
  readonly field?: 'invoice' | 'firstName' | 'lastName' | 'street' | 'city' | 'state' | 'zipCode' | 'comment';
  /** It holds both names. */
  readonly names?: 'last, first' | 'first last';
  /** It holds the amount. */
  readonly isAmount?: true;
  /** A part of the account number: its digits, and its place among the parts. */
  readonly part?: { readonly place: number; readonly digits: number | string; readonly check?: 'aba' };
  /** Words for both signs of the amount. */
  readonly signs?: readonly [positive: string, negative: string];
  /** Words of payments and of others. */
  readonly words?: { readonly take: readonly string[]; readonly skip: readonly string[] };
  /** The word of all payments. */
  readonly word?: string;
  readonly money?: Money;
  /** Money that is not sent. */
  readonly cents?: (row: KnownRow) => number;
  /** How its dates are written. */
  readonly form?: string;
  /** The profile only takes cells that begin in a certain way. */
  readonly hasShape?: true;
};

export function date(title: string, form: string): Column {
  const { write } = DATE_FORMS.find((one) => one.form === form)!;
  const hasTime = form.endsWith('and a time');
  const [format = '', language] = hasTime ? [form.slice(0, 10)] : splitForm(form);
  const rule: ColumnRule = { format, ...(hasTime && { time: 'drop' }), ...(language && { language: 'en' }) };
  return {
    title,
    holds: 'date',
    form,
    cell: ({ payment }) => write(payment.date),
    rules: (from) => ({ date: { ...rule, from } }),
  };
}

/** A date that is not sent. */
export function otherDate(title: string): Column {
  return { title, holds: 'date', cell: ({ payment }) => payment.date };
}

export function text(title: string, field: Exclude<Column['field'], undefined | 'invoice'>): Column {
  const cell = ({ payment }: KnownRow) => payment[field];
  return { title, holds: 'text', field, cell, rules: (from) => ({ [field]: { from, empty: 'keep' } }) };
}

export function invoice(title: string, shape?: ColumnRule['shape']): Column {
  return {
    title,
    holds: 'code',
    field: 'invoice',
    cell: ({ payment }) => payment.invoice,
    rules: (from) => ({ invoice: { from, ...(shape && { shape }) } }),
  };
}

/** `Byron, Ada`, or one name where the layout wants that. */
export function wholeName(title: string): Column {
  const cut = { split: ', ', of: 2 };
  return {
    title,
    holds: 'text',
    names: 'last, first',
    cell: ({ payment }) => `${payment.lastName}, ${payment.firstName}`,
    rules: (from) => ({ lastName: { from, ...cut, part: 1 }, firstName: { from, ...cut, part: 2 } }),
  };
}

export function fullName(title: string): Column {
  const cell = ({ payment }: KnownRow) => `${payment.firstName} ${payment.lastName}`;
  return { title, holds: 'text', names: 'first last', cell, rules: (from) => ({ fullName: { from } }) };
}

export function customerCode(title: string): Column {
  const shape = { starts: ['A'], rest: 'digits' as const };
  return {
    title,
    holds: 'code',
    hasShape: true,
    cell: ({ payment }) => payment.customerCode,
    rules: (from) => ({ customerCode: { from, shape } }),
  };
}

/** @param direction -1 where the system writes charges as negative amounts */
export function amount(title: string, money: Money, direction: 1 | -1 = 1): Column {
  const sign = direction === 1 ? 'as-written' : 'negate';
  return {
    title,
    holds: 'money',
    money,
    isAmount: true,
    cell: ({ payment }) => money.write(payment.cents * direction),
    rules: (from) => ({ amount: { from, number: money.number, sign } }),
  };
}

/** An amount without a sign, and the column of words that gives it. */
export function signedByWord(title: string, word: string | number, money: Money, words: readonly [string, string]) {
  const sign = { by: word, positive: [words[0]], negative: [words[1]] };
  const value: Column = {
    title,
    holds: 'money',
    money,
    isAmount: true,
    cell: ({ payment }) => money.write(Math.abs(payment.cents)),
    rules: (from) => ({ amount: { from, number: money.number, sign } }),
  };
  const side: Column = {
    title: String(word),
    holds: 'status',
    cell: ({ payment }) => words[payment.cents < 0 ? 1 : 0],
    signs: words,
  };
  return [side, value];
}

/** Two columns, of which one is filled. */
export function debitAndCredit(debit: string, credit: string, money: Money): Column[] {
  const side = (title: string, isPositive: boolean): Column => ({
    title,
    holds: 'money',
    money,
    cell: ({ payment: { cents } }) => (cents > 0 === isPositive ? money.write(Math.abs(cents)) : ''),
  });
  const rule: ColumnRule = { positive: debit, negative: credit, number: money.number, nothing: ['', '0.00'] };
  return [{ ...side(debit, true), isAmount: true, rules: () => ({ amount: rule }) }, side(credit, false)];
}

/** Money that is not sent: what is left to pay of all, or another figure. */
export function otherMoney(title: string, money: Money, cents: (row: KnownRow) => number): Column {
  return { title, holds: 'money', money, cents, cell: (row) => money.write(cents(row)) };
}

/** @param way which of the two writings of each word */
export function mop(title: string, brands: readonly string[], way: 0 | 1 = 0): Column {
  const words = Object.fromEntries(brands.map((brand) => [WORDS[brand]![way], brand]));
  const cell = ({ payment }: KnownRow) => WORDS[payment.mop]![way];
  return { title, holds: 'mop', cell, rules: (from) => ({ mop: { from, words } }) };
}

/** @param between what stands between groups of four digits */
export function cardNumber(title: string, between: '' | ' ' | '-' = ''): Column {
  const strip: ColumnRule['strip'] = between === '' ? [] : [between === ' ' ? 'space' : 'dash'];
  return {
    title,
    holds: 'card',
    cell: ({ payment }) => payment.cardNumber.replace(/(.{4})(?=.)/g, `$1${between}`),
    rules: (from) => ({ cardNumber: { from, ...(strip.length > 0 && { strip }) } }),
  };
}

export function expiry(title: string, form: string): Column {
  const { write } = EXPIRY_FORMS.find((one) => one.form === form)!;
  const [format = '', language] = splitForm(form);
  return {
    title,
    holds: 'expiry',
    form,
    cell: ({ payment }) => write(payment.expiry),
    rules: (from) => ({ expiry: { from, format, ...(language && { language: 'en' }) } }),
  };
}

export function accountType(title: string, way: 0 | 1 = 0): Column {
  const words = Object.fromEntries(['CHECKING', 'SAVING'].map((kind) => [WORDS[kind]![way], kind]));
  const cell = ({ payment }: KnownRow) => WORDS[payment.accountType]![way];
  return { title, holds: 'accountType', cell, rules: (from) => ({ accountType: { from, words } }) };
}

/** The parts of the account number: institution, transit and account in Canada, elsewhere routing and account. */
export function bank(...titles: readonly string[]): Column[] {
  const parts = titles.length === 3 ? [{ digits: 3 }, { digits: 5 }, { digits: 7 }] : US_PARTS;
  return titles.map((title, place) => ({
    title,
    holds: 'bank',
    cell: ({ payment }) => payment.account[place]!,
    part: { place, ...parts[place]! },
  }));
}

const US_PARTS = [{ digits: 9, check: 'aba' }, { digits: '4..17' }] as const;

export function status(title: string, take: string, skip: string): Column {
  const cell = ({ kind }: KnownRow) => (kind === 'left' ? skip : take);
  return { title, holds: 'status', cell, words: { take: [take], skip: [skip] } };
}

/** A word that each payment has. */
export function currency(title: string, code: string): Column {
  return { title, holds: 'currency', cell: () => code, word: code };
}

/** A text that is not sent. */
export function remark(title: string): Column {
  return { title, holds: 'text', cell: ({ payment }) => `for ${payment.firstName}: ${payment.comment}` };
}

function splitForm(form: string): string[] {
  return form.endsWith(' en') ? [form.slice(0, -3), 'en'] : [form];
}
