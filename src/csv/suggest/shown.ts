import { maskNumber, maskText } from '../../kernel/mask.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import { hiddenShown } from '../profile/check/found-fault.ts';

const LONGEST_SHOWN = 60;

/** Shows a text of the sample: long numbers masked, hidden characters by their number. */
export function shownText(text: string): string {
  const plain = hiddenShown(maskText(text.trim().slice(0, 4 * LONGEST_SHOWN)));
  return plain.length > LONGEST_SHOWN ? `${plain.slice(0, LONGEST_SHOWN)}…` : plain;
}

/** Returns whether a text may hold the number of a card or account, so that it is never shown whole. */
export function holdsNumber(text: string): boolean {
  return /\d{7}/.test(text.replace(/[^\p{L}\p{N}]/gu, '')) || maskText(text) !== text;
}

/** Shows the end of a cell of numbers. */
export function shownNumber(text: string): string {
  return maskNumber(text.trim().slice(0, LONGEST_SHOWN));
}

/**
 * Shows a cell whose column has no use yet. An account number may be short, so digits alone are always masked; nobody
 * writes one as a day of this or the last century.
 */
export function shownCell(text: string): string {
  if (DAY_WITH_YEAR.test(text.trim())) return text.trim();
  const digits = text.replace(/[\s-]/g, '');
  return /^\d{5,}$/.test(digits) || passesLuhn(digits) ? shownNumber(text) : shownText(text);
}

const DAY_WITH_YEAR = /^(?:(?:19|20)\d\d([/.-])[01]?\d\1[0-3]?\d|[0-3]?\d([/.-])[0-3]?\d\2(?:19|20)\d\d)$/;

/** Shows a cell that is sent as an invoice or a code. Letters in front tell it from the number of a card or account. */
export function shownCode(text: string): string {
  return LETTERED_CODE.test(text.trim()) ? text.trim() : shownText(text);
}

const LETTERED_CODE = /^[A-Za-z]{1,8}[./_-]?\d(?:[./_-]?\d){0,9}$/;

/** Shows an amount whole if it is one. More digits may be the number of an account. */
export function shownAmount(text: string): string {
  const isAmount = /[.,]\d{2}\D*$/.test(text) && text.replace(/\D/g, '').length <= LONGEST_AMOUNT;
  return isAmount ? hiddenShown(text.trim()) : shownCell(text);
}

const LONGEST_AMOUNT = 10;

/** Shows a cell of dates whole if it looks like a date or an expiry. Any other may hold a number. */
export function shownDate(text: string): string {
  return DATE_LIKE.test(text.trim()) ? hiddenShown(text.trim()) : shownCell(text);
}

const DATE_LIKE = /^\d{1,4}([./-])\d{1,2}\1\d{1,4}$|^\d{1,2}[./-]?\d{2}$|^\d{1,2}[./-]\d{4}$|^\d{4}[./-]\d{1,2}$/;
