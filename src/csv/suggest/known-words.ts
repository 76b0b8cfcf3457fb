import { foldWord } from '../profile/words-rule.ts';

/** Names of the methods of payment, as accounting systems write them. */
const MOPS: Readonly<Record<string, string>> = {
  VISA: 'visa, vi, vs, v, visa card, visa credit, visakarte, carte visa',
  MC: 'mc, mastercard, master card, master, m, eurocard, mastercard credit, ec/mc',
  AMX: 'amx, amex, american express, americanexpress, ax, a, am ex',
  DSC: 'dsc, discover, disc, ds, discover card',
  MAESTR: 'maestr, maestro, ma, maestro uk, switch',
  'VISA DEBIT': 'visa debit, visa delta, delta, visa débit',
  'MC DEBIT': 'mc debit, mastercard debit, debit mastercard',
};

const ACCOUNT_TYPES: Readonly<Record<string, string>> = {
  CHECKING:
    'checking, chequing, check, chk, c, dda, current, current account, cheque, compte courant, courant, chèque, girokonto, giro, cuenta corriente, corriente, 22, 27',
  SAVING: 'saving, savings, sav, s, savings account, épargne, compte épargne, sparkonto, spar, ahorro, ahorros, 32, 37',
};

const SIGNS: Readonly<Record<string, string>> = {
  positive: 'dr, d, debit, debit memo, charge, soll, s, débit, debe, cargo, +, invoice, 27, 37',
  negative: 'cr, c, credit, credit memo, refund, haben, h, crédit, haber, abono, -, credit note, 22, 32',
};

/** Words of rows that are no payments to be made. */
const NOT_PAYABLE =
  'paid, void, voided, draft, cancelled, canceled, deleted, payment, credit note, sales credit note, credit memo, refund, cash, check, personal check, cheque, direct debit, bank transfer, closed, on hold, bezahlt, storniert, entwurf, gutschrift, bar, überweisung, payé, annulé, brouillon, avoir, espèces, virement, pagado, anulado, borrador, abono, efectivo, transferencia';

const MOP_OF = indexWords(MOPS);
const ACCOUNT_TYPE_OF = indexWords(ACCOUNT_TYPES);
const SIGN_OF = indexWords(SIGNS);
const NOT_PAYABLE_OF = indexWords({ skip: NOT_PAYABLE });

function indexWords(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([target, words]) => words.split(', ').map((word) => [word, target] as const)),
  );
}

/** Returns the method of payment that a word seems to mean. It is a suggestion, which a person looks at. */
export function mopOf(word: string): string | undefined {
  return MOP_OF.get(foldWord(word));
}

/** Returns the account type that a word seems to mean. */
export function accountTypeOf(word: string): string | undefined {
  return ACCOUNT_TYPE_OF.get(foldWord(word));
}

/** Returns the sign that a word seems to mean. */
export function signOf(word: string): string | undefined {
  return SIGN_OF.get(foldWord(word));
}

/** Returns whether a row with this word is probably left out. */
export function isNotPayable(word: string): boolean {
  return NOT_PAYABLE_OF.has(foldWord(word));
}

const CURRENCIES = new Set(
  'USD CAD GBP EUR CHF AUD NZD JPY CNY SEK NOK DKK PLN CZK HUF MXN BRL INR ZAR HKD SGD KRW TRY ILS THB'.split(' '),
);

/** Returns whether all words are codes of currencies. */
export function areCurrencies(words: Iterable<string>): boolean {
  const list = [...words];
  return list.length > 0 && list.every((word) => CURRENCIES.has(word.trim().toUpperCase()));
}
