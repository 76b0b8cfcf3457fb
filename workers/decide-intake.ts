import { ERRORS, type FaultCode } from '../schemas/errors.ts';
import type { FileCheck } from '../src/csv/check-payment-file.ts';
import type { ControlNote, Fault } from '../src/kernel/rows.ts';
import { formatCents } from '../src/kernel/money.ts';
import type { FileDecision } from '../src/ledger/moves/decide-file.ts';

/** What is known of a file beside its rows. */
export type Circumstances = {
  /** Control totals of the sidecar, or why it could not be read; null when none came. */
  control: ControlNote | null;
  /** Hash taken at the claim. */
  claimedSha256: string;
  /** The claimed file is not what was sealed: its writer went on. */
  changed: boolean;
  /** An earlier file of this name with other content. */
  sameName: string | undefined;
  /** Most bytes that the folder takes; undefined when no folder is meant. */
  maxBytes: number | undefined;
};

/**
 * Adds what the rows cannot say to the verdict of the check: control totals (H0), hash (H1), changes after the claim.
 * The reason of the decision is the gravest fault; the others stand in the notice.
 */
export function decideIntake(check: FileCheck, around: Circumstances): { decision: FileDecision; faults: Fault[] } {
  const faults: Fault[] = [];
  const say = (code: FaultCode, detail: string) => faults.push({ code, line: 0, detail });
  const excess = describeExcess(check.bytes, around.maxBytes);
  if (excess !== undefined) say('FILE_TOO_LARGE', excess);
  if (around.changed) say('MODIFIED_AFTER_CLAIM', 'its size, time or bytes are others than at the claim');
  if (around.sameName) say('NAME_SEEN_BEFORE', `file ${around.sameName}`);
  for (const [code, detail] of compareControl(check, around)) say(code, detail);
  return { decision: decide(check, faults), faults };
}

/** What a file has too much of; undefined when it is small enough. Intake asks before it reads a row (F11). */
export function describeExcess(bytes: number, maxBytes: number | undefined): string | undefined {
  return maxBytes === undefined || bytes <= maxBytes ? undefined : `${bytes} bytes, at most ${maxBytes}`;
}

function decide(check: FileCheck, faults: readonly Fault[]): FileDecision {
  const codes = [...(Object.keys(check.faultCounts) as FaultCode[]), ...faults.map((fault) => fault.code)];
  const verdict =
    check.verdict === 'reject' || codes.includes('FILE_TOO_LARGE') ? 'reject' : gravest(codes, check.verdict);
  if (verdict === 'accept') return { verdict };
  const code = reasonFor(verdict, codes);
  return { verdict, code, reason: describe(code, check, faults) };
}

/** The check has weighed its own faults by the folder's rules; here only those found beside it can hold the file. */
function gravest(codes: readonly FaultCode[], verdict: 'accept' | 'hold'): 'accept' | 'hold' {
  const beside: readonly FaultCode[] = ['MODIFIED_AFTER_CLAIM', 'CONTROL_TOTALS', 'CONTROL_FILE'];
  return codes.some((code) => beside.includes(code)) ? 'hold' : verdict;
}

/** The fault that names the file's trouble: a security code before all else, then one of the verdict's own effect. */
function reasonFor(verdict: 'hold' | 'reject', codes: readonly FaultCode[]): FaultCode {
  if (codes.includes('SECURITY_CODE')) return 'SECURITY_CODE';
  const own = codes.find((code) => ERRORS[code].effect === verdict);
  return own ?? codes.find((code) => ERRORS[code].effect !== 'warn') ?? 'TOO_MANY_BAD_ROWS';
}

function describe(code: FaultCode, check: FileCheck, faults: readonly Fault[]): string {
  const detail = [...faults, ...check.faults].find((fault) => fault.code === code)?.detail;
  const count = check.faultCounts[code] ?? 0;
  const rows = ERRORS[code].scope === 'row' && count > 0 ? ` (${count} ${count === 1 ? 'row' : 'rows'})` : '';
  return `${ERRORS[code].means}${rows}${detail ? `: ${detail}` : ''}`;
}

function compareControl(check: FileCheck, { control, claimedSha256 }: Circumstances): [FaultCode, string][] {
  if (control === null) return [];
  if ('fault' in control) return [['CONTROL_FILE', control.reason]];
  const differences: [FaultCode, string][] = [];
  const { rows, totalCents, sha256 } = control;
  if (rows !== undefined && rows !== check.records) {
    differences.push(['CONTROL_TOTALS', `it says ${rows} rows, the file has ${check.records}`]);
  }
  if (totalCents !== undefined && totalCents !== check.declaredCents) {
    const found = formatCents(check.declaredCents);
    differences.push(['CONTROL_TOTALS', `it says a total of ${formatCents(totalCents)}, the file has ${found}`]);
  }
  if (sha256 !== undefined && sha256 !== claimedSha256) {
    differences.push(['CONTROL_TOTALS', 'its sha256 is not that of the file']);
  }
  return differences;
}
