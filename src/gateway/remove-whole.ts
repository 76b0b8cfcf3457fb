import { REJECTIONS } from '../../schemas/rejections.ts';

export const REMOVED = '[removed]';

/** Values that are shorter are no secret and are part of many words. */
const SHORTEST = 3;

/** From this length on, a value stands in no other text by chance. */
export const LONG = 7;

/** Account numbers have 4 digits or more; security codes, with 3, also stand in many ids. */
const SHORTEST_NUMBER = 4;

/**
 * Removes a value from a text of the service. A long value with a sign that is no letter goes wherever it stands. Any
 * other goes only where it stands alone, so that a short one does not cut words: a payer named `Ate` leaves `Duplicate`
 * alone. Words of the service's own texts stay, because they tell nothing about a payer.
 * @param isSecret whether it is a login or a number to be hidden, and not only a cell; then long words go anywhere, too
 */
export function removeWhole(text: string, value: string, isSecret = false): string {
  if (value.length < SHORTEST || isOfService(value)) return text;
  if (value.length >= LONG && (isSecret || /[^\p{L}\s]/u.test(value))) return text.replaceAll(value, REMOVED);
  let shown = '';
  let from = 0;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, from)) {
    const isShown = !standsAlone(text, at, value) || isRejection(text, at, value);
    shown += text.slice(from, at) + (isShown ? value : REMOVED);
    from = at + value.length;
  }
  return shown + text.slice(from);
}

/** Letters beside a number of 4 digits or more do not make it part of a word. */
function standsAlone(text: string, at: number, value: string): boolean {
  const isNumber = value.length >= SHORTEST_NUMBER && /^\d+$/.test(value);
  const joins = isNumber ? /^\d{2}$/ : /^[\p{L}\p{N}]{2}$/u;
  const before = text.slice(at - 1, at) + value.slice(0, 1);
  const after = value.slice(-1) + text.slice(at + value.length, at + value.length + 1);
  return !(at > 0 && joins.test(before)) && !joins.test(after);
}

/** Returns whether the number is a listed code behind the word of a rejection, as in `REJECT: 100`. */
function isRejection(text: string, at: number, value: string): boolean {
  return Object.hasOwn(REJECTIONS, value) && /\bREJ(?:ECT)?: ?$/.test(text.slice(0, at));
}

/** Words of the service's texts, in lower case: those of the specification, of public clients and of our golden files. */
const SERVICE_WORDS: ReadonlySet<string> = new Set(
  [
    'a agent an and app approved are authorization bad bank bankaccept batch be been been being by can cannot card cents',
    'check checking city code country credit currency customer customercode date deleted does doesn t done duplicate',
    'duplicated email enter error exceeded exist expiry failure field file find for format found from has have id in',
    'information instance internal invalid invoice is it link list login long mail method missing money must name no not',
    'number object of ok on or password payment phone please process processed processing processlinkv received reference',
    'refund rej reject rejected request required result returned runtime savings server service set state string street',
    'success system that the this time timeout to total transaction type used user username wait was with wrong zip',
  ]
    .join(' ')
    .split(' '),
);

function isOfService(value: string): boolean {
  const words = value.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.every((word) => SERVICE_WORDS.has(word.toLowerCase()));
}
