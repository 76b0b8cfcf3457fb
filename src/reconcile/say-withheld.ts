import { byNumber, counted } from '../kernel/counted.ts';
import { formatCents } from '../kernel/money.ts';
import type { Withheld } from '../rows/rows.ts';

/** Says that rows of a file were not paid because of their faults; empty when there are none. */
export function sayWithheld({ rows, cents, unreadable }: Withheld): string {
  if (rows === 0) return '';
  const were = `${counted(rows, 'row')} ${byNumber(rows, 'was', 'were')} withheld and not paid`;
  return `${were}: ${sayAmount({ rows, cents, unreadable })}`;
}

/** Says the same for a file that waits for a decision. */
export function sayStaysBack({ rows, cents, unreadable }: Withheld): string {
  const stay = `${counted(rows, 'invalid row')} ${byNumber(rows, 'stays back and is', 'stay back and are')}`;
  return `${stay} not paid if the file is approved: ${sayAmount({ rows, cents, unreadable })}`;
}

/** Returns their total, and how many amounts could not be read and are not part of it. */
export function sayAmount({ rows, cents, unreadable }: Withheld): string {
  if (unreadable === 0) return formatCents(cents);
  const amounts = `${counted(unreadable, 'amount')} unreadable`;
  return unreadable >= rows ? amounts : `${formatCents(cents)}, ${amounts}`;
}
