import type { FaultCode } from '../../../schemas/errors.ts';
import type { Chooser } from '../../csv/profile/support/made-payments.ts';
import type { KnownRow } from '../systems/columns.ts';
import type { System } from '../systems/system.ts';
import type { Form, Sheet } from './sheet.ts';

/** What becomes of a file: accepted, held or refused. */
export type Verdict = 'accept' | 'hold' | 'reject';

/** One way in which the export of a system can come, and what has to become of it. */
export type Variant = {
  readonly name: string;
  readonly verdict: Verdict;
  /** Why it is not accepted, or what is said besides. */
  readonly code?: FaultCode;
  readonly fits?: (system: System) => boolean;
  readonly rows?: (rows: readonly KnownRow[], choose: Chooser) => readonly KnownRow[];
  readonly change?: (sheet: Sheet, system: System) => Sheet;
};

export function isTitled({ untitled }: System): boolean {
  return !untitled;
}

export function hasStatus({ columns }: System): boolean {
  return columns.some(({ words }) => words);
}

/** Returns the place of the amount. */
export function amountOf({ columns }: System): number {
  return columns.findIndex(({ isAmount }) => isAmount);
}

export function formed(sheet: Sheet, form: Partial<Form>): Sheet {
  return { ...sheet, form: { ...sheet.form, ...form } };
}

/** Makes every fourth row one of the other sign. */
export function credits(rows: readonly KnownRow[]): KnownRow[] {
  return rows.map((row, index) =>
    index % 4 === 3 ? { kind: 'credit', payment: { ...row.payment, cents: -row.payment.cents } } : row,
  );
}
