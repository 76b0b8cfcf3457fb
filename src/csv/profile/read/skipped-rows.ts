import { columnsOf } from '../../../../schemas/layouts.ts';
import type { Profile } from '../../../../schemas/profiles.ts';
import { counted } from '../../../kernel/counted.ts';
import { formatCents, LARGEST_TOTAL_CENTS, parseAmount } from '../../../kernel/money.ts';
import type { Fault } from '../../../rows/rows.ts';
import { exactTotals } from '../../check/check-records.ts';
import { placesOf } from '../../scan/row-scan.ts';
import type { MakeCells } from '../cell-rules.ts';

/** Rows that the profile leaves out, by the reason. `cents` excludes rows whose amount cannot be read. */
export type SkippedRows = { readonly name: string; readonly rows: number; readonly cents: number };

/** Counts the rows that are left out and adds up their amounts. */
export function skippedTally() {
  const byName = new Map<string, ReturnType<typeof exactTotals>>();

  function add(name: string, cents: number): void {
    const totals = byName.get(name) ?? exactTotals(LARGEST_TOTAL_CENTS);
    byName.set(name, totals);
    // An amount that would make the sum inexact counts as one that cannot be read.
    if (!totals.add(cents)) totals.add(0);
  }

  function list(): SkippedRows[] {
    return [...byName].map(([name, totals]) => ({ name, ...totals.sum() }));
  }

  function faults(): Fault[] {
    const said = list().map(({ name, rows, cents }) => `${name}, ${counted(rows, 'row')}, sum ${formatCents(cents)}`);
    return said.length === 0 ? [] : [{ code: 'PROFILE_SKIPPED', line: 0, detail: said.join('; ') }];
  }

  return { add, list, faults };
}

/**
 * Reads rows that are left out, to see what they would have been.
 * @returns a function; `isPayment` says whether the row has an invoice, a payer and an amount, `isSound` whether also
 *   nothing is wrong with it; `cents` is 0 without an amount
 */
export function paymentProbe({ layout }: Profile, make: MakeCells) {
  const { invoice, customerCode, number, amount } = placesOf(columnsOf(layout));
  const payer = number >= 0 ? number : customerCode;
  let isSound = true;

  function noteFault(): void {
    isSound = false;
  }

  return (cells: readonly string[]): { isPayment: boolean; isSound: boolean; cents: number } => {
    isSound = true;
    const made = make(cells, noteFault);
    const cents = parseAmount(made[amount]!);
    const isPayment = typeof cents === 'number' && cents !== 0 && made[invoice] !== '' && made[payer] !== '';
    return { isPayment, isSound: isSound && isPayment, cents: typeof cents === 'number' ? cents : 0 };
  };
}
