/** Rows for tests, made by number, so that a test states only what matters to it. */

/** A date of this year, so that it is near whenever the tests run. */
export const DATE = `06/15/${new Date().getFullYear()}`;
export const CARD = '4222222222222220';
/** Answers by amount: 1 is approved, 2 declined 15, 16 declined 2. */
export const MAGIC_CARD = '4111111111111111';

export function cardRow(
  n: number,
  cells: Partial<Record<'invoice' | 'amount' | 'mop' | 'card' | 'expiry' | 'street', string>> = {},
): string {
  const {
    invoice = `C-${n}`,
    amount = '25.00',
    mop = 'VISA',
    card = CARD,
    expiry = '12/35',
    street = '1 Mill Lane',
  } = cells;
  return `${DATE},${invoice},Ada,Byron,${street},Troy,NY,12180,${amount},${mop},${card},${expiry}`;
}

export function achRow(
  n: number,
  cells: Partial<Record<'invoice' | 'amount' | 'account' | 'comment', string>> = {},
): string {
  const { invoice = `A-${n}`, amount = '25.00', comment = 'June dues' } = cells;
  const { account = `021000021${String(40_000_000 + n).padStart(17, '0')}` } = cells;
  return `${invoice},Ada,Byron,CHECKING,${account},${amount},${comment}`;
}

export function codeRow(
  n: number,
  cells: Partial<Record<'invoice' | 'code' | 'amount' | 'comment', string>> = {},
): string {
  const { invoice = `K-${n}`, code = `A${10_000_000 + n}`, amount = '25.00', comment = 'June dues' } = cells;
  return `${invoice},${code},${amount},${comment}`;
}

/** Joins rows to a file, each with its line end. */
export function lines(rows: readonly string[], lineEnd = '\n'): string {
  return rows.map((row) => row + lineEnd).join('');
}

/** Returns the numbers from 1 to `count`. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
