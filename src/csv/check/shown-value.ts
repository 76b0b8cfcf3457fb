import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { isDay, maskNumber, maskText } from '../../kernel/mask.ts';
import { joinedDigits, plainDigits, SHORTEST_TELLING } from '../../kernel/plain-digits.ts';

const LONGEST_SHOWN = 40;

/**
 * A cell as it may be shown in a fault: masked, and at most 40 characters. An amount with a point and a day stay as they are, or
 * nobody would know what is wrong with them.
 * @param ownNumber the number column of the same row. It is starred wherever it stands, also when it is too short to be
 *   known for an account number by itself
 */
export function shownValue(column: ColumnName, cell: string, ownNumber: string): string {
  const { kind } = COLUMNS[column];
  // First cut to a length that is quick to mask, last to the one that is shown; a number must be masked while whole.
  const text = cell.slice(0, 10 * LONGEST_SHOWN);
  const masked =
    kind === 'cardNumber' || kind === 'accountNumber'
      ? maskNumber(text)
      : (kind === 'amount' && AMOUNT.test(text)) || (kind === 'date' && isDay(text))
        ? text
        : maskText(starOwn(text, ownNumber));
  return masked.length <= LONGEST_SHOWN ? masked : `${masked.slice(0, LONGEST_SHOWN - 1)}…`;
}

/** No number of a card or an account has such a point, but a spreadsheet may give it one: of so many digits it stays an amount. */
const AMOUNT = /^[-+]?[$€£]?\d{1,3}(?:,?\d{3}){0,3}\.\d{1,2}$/;

function starOwn(text: string, ownNumber: string): string {
  const number = joinedDigits(ownNumber);
  if (!/^\d{4,}$/.test(number)) return text;
  if (text.includes(number)) return text.replaceAll(number, maskNumber(number));
  return number.length >= SHORTEST_TELLING && joinedDigits(text).includes(number)
    ? maskNumber(plainDigits(text))
    : text;
}
