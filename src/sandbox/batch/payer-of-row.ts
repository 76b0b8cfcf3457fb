import type { Payer } from '../books/payer.ts';
import { maskNumber } from './mask-number.ts';
import type { BatchRow } from './read-row.ts';

/** Returns who pays for a batch row, and with what. A row by customer code names no payer. */
export function payerOfRow({ cells, number }: BatchRow): Payer {
  return {
    ...nameOf(cells),
    payment: cells.mop ?? cells.accountType ?? '',
    shownNumber: maskNumber(number),
    expiry: (cells.expiry ?? '').replace(/^(\d\d)(\d\d)$/, '$1/$2'),
    comment: cells.comment ?? '',
  };
}

/** Takes the last word of a full name as the last name. */
function nameOf({ firstName, lastName, fullName }: BatchRow['cells']): Pick<Payer, 'firstName' | 'lastName'> {
  if (fullName === undefined) return { firstName: firstName ?? '', lastName: lastName ?? '' };
  const words = fullName.trim().split(/\s+/);
  return { firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}
