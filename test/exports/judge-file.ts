import { ERRORS } from '../../schemas/errors.ts';
import { effectOf } from '../../src/csv/check/fault-effect.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import { describeFault } from '../../src/kernel/errors.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { checkByBytes } from '../csv/compare/check-by-bytes.ts';
import { type MadePayment, TODAY } from '../csv/profile/support/made-payments.ts';
import { chunksOf, rulesWith } from '../csv/support.ts';
import type { Export } from './made/exports.ts';
import { sentCells } from './made/sheet.ts';

/** What the check says of a file. */
export type Judged = {
  readonly verdict: FileCheck['verdict'];
  /** The cells that would be sent, sorted. */
  readonly sent: readonly string[];
  readonly withheld: number;
  readonly faults: readonly Fault[];
};

/** Checks the bytes of an export by its profile, as intake does. */
export async function judgeFile(
  { system, profile }: Pick<Export, 'system' | 'profile'>,
  bytes: Uint8Array,
): Promise<Judged> {
  const rules = rulesWith({ ...system.place, profile, today: TODAY });
  // Groups of one line let the scanner see small files too.
  const { payments, withheld, faults, check } = await checkByBytes(
    chunksOf(bytes),
    rules,
    bytes.length % 2 === 0 ? 1 : 512,
  );
  return {
    verdict: check.verdict,
    sent: payments.map(({ canonical }) => canonical.join('|')).toSorted(),
    withheld: withheld.length,
    faults: [...faults, ...check.faults],
  };
}

/** Returns payments as `Judged` has those that are sent. */
export function sentBy(system: Export['system'], payments: readonly MadePayment[]): string[] {
  return payments.map((payment) => sentCells(system, payment).join('|')).toSorted();
}

/** Returns what is wrong with the reasons of a file: without any, or with a number that must not be shown. */
export function complainOfReasons({ verdict, faults }: Judged, secrets: readonly string[]): string | undefined {
  const reasons = faults.filter(({ code }) => effectOf(code, rulesWith().folder) === verdict);
  const said = reasons.map((fault) => `${describeFault(fault)} ${ERRORS[fault.code].remedy}`);
  if (verdict !== 'accept' && !said.some((sentence) => sentence.length > 20)) return `${verdict} without a reason`;
  const shown = JSON.stringify(faults);
  return secrets.some((secret) => shown.includes(secret)) ? 'a fault shows a number' : undefined;
}
