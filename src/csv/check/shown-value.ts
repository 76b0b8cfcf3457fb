import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { isDay, maskNumber, maskText } from '../../kernel/mask.ts';
import { joinedDigits, plainDigits, SHORTEST_TELLING } from '../../kernel/plain-digits.ts';

const LONGEST_SHOWN = 40;

/**
 * Returns a cell as a fault may show it: masked, and at most 40 characters. An amount with a decimal point and a date
 * stay readable, because otherwise the sender could not see what is wrong.
 * @param ownNumber the number column of the same row. It is masked wherever it stands, even if too short to be
 *   recognized as an account number by itself
 */
export function shownValue(column: ColumnName, cell: string, ownNumber: string): string {
  const { kind } = COLUMNS[column];
  // First cut to a length that masks quickly, last to the shown length; a number must be masked while complete.
  const text = cell.slice(0, 10 * LONGEST_SHOWN);
  const masked =
    kind === 'cardNumber' || kind === 'accountNumber'
      ? maskNumber(text)
      : (kind === 'amount' && AMOUNT.test(text)) || (kind === 'date' && isDay(text))
        ? text
        : maskText(starOwn(text, ownNumber));
  return masked.length <= LONGEST_SHOWN ? masked : `${masked.slice(0, LONGEST_SHOWN - 1)}…`;
}

/** Card and account numbers have no decimal point unless a spreadsheet adds one, so longer numbers do not count. */
const AMOUNT = /^[-+]?[$€£]?\d{1,3}(?:,?\d{3}){0,3}\.\d{1,2}$/;

function starOwn(text: string, ownNumber: string): string {
  const number = joinedDigits(ownNumber);
  if (!/^\d{4,}$/.test(number)) return text;
  if (text.includes(number)) return text.replaceAll(number, maskNumber(number));
  return number.length >= SHORTEST_TELLING && joinedDigits(text).includes(number)
    ? maskNumber(plainDigits(text))
    : text;
}
