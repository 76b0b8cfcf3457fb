import {
  type CheckedRow,
  checkPaymentFile,
  type CheckRules,
  type FileCheck,
} from '../../../src/csv/check/check-payment-file.ts';
import { unpackRows } from '../../../src/csv/write/packed-rows.ts';
import type { Fault, PaymentRow } from '../../../src/rows/rows.ts';
import type { Reading } from './check-by-reference.ts';

/** Everything a check yields, by either method. */
export type Outcome = {
  readonly payments: readonly PaymentRow[];
  readonly withheld: readonly CheckedRow[];
  readonly faults: readonly Fault[];
  readonly check: FileCheck;
};

/** Checks a payment file as paydrop does, and keeps everything it yields. */
export async function checkByBytes(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  groupLines?: number,
): Promise<Outcome> {
  const payments: PaymentRow[] = [];
  const withheld: CheckedRow[] = [];
  const faults: Fault[] = [];
  const steps = checkPaymentFile(source, rules, groupLines === undefined ? {} : { groupLines });
  for (let step = await steps.next(); ; step = await steps.next()) {
    if (step.done) return { payments, withheld, faults, check: step.value };
    payments.push(...unpackRows(step.value));
    withheld.push(...step.value.withheld);
    faults.push(...step.value.faults);
  }
}

export function outcomeOf({ rows, check }: Reading): Outcome {
  return {
    payments: rows.flatMap(({ payment }) => payment ?? []),
    withheld: rows.filter(({ payment }) => !payment),
    faults: rows.flatMap(({ faults }) => faults),
    check,
  };
}
