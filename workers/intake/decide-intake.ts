import { ERRORS, type FaultCode, saidCode } from '../../schemas/errors.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import { effectOf } from '../../src/csv/check/fault-effect.ts';
import { counted } from '../../src/kernel/counted.ts';
import { groupBy } from '../../src/kernel/group-by.ts';
import type { Limits } from '../../src/config/account-rules.ts';
import type { EffectRules, ControlNote, Fault } from '../../src/rows/rows.ts';
import { formatCents } from '../../src/kernel/money.ts';
import type { FileDecision } from '../../src/ledger/file/decide-file.ts';
import { compareControl } from '../../src/reconcile/control-totals.ts';
import type { History } from './find-earlier-payments.ts';

/** What is known of a file besides its rows. */
export type Circumstances = {
  effects: EffectRules;
  /** Control totals of the sidecar, or why it could not be read; null when there is none. */
  control: ControlNote | null;
  claimedSha256: string;
  /** The claimed file differs from what was sealed: its sender kept writing. */
  changed: boolean;
  /** The account for which it was taken or made, if that meant another merchant (file.meant_for). */
  meantFor?: string | null;
  /** An earlier file of this name with other content. */
  sameName: string | undefined;
  /** Batches whose bytes were sent before a restored ledger forgot it. */
  sentBefore?: string | undefined;
  /** Rows that forgotten calls may have held, with what that says of the file (doubt/compare-forgotten.ts). */
  forgotten?: readonly Fault[] | undefined;
  /** Most bytes that the folder takes; undefined when no folder applies. */
  maxBytes: number | undefined;
  /** Limits of a file; the ledger checks those of a day. */
  limits: Pick<Limits, 'fileRows' | 'fileCents'>;
  /** Every file of this operation needs approval. */
  approvalDue: boolean;
  /** What a changed or new version of the import profile says. */
  profileFaults?: readonly Fault[] | undefined;
  /** What the other files say; undefined without a ledger, or with nothing to compare. */
  history: History | undefined;
};

/**
 * Adds what the rows cannot show to the verdict: control totals H0 and H1, changes after the claim, limits, other
 * files. The most serious fault is the reason; that of a held file also names the others. The notice lists all.
 */
export function decideIntake(check: FileCheck, around: Circumstances): { decision: FileDecision; faults: Fault[] } {
  const faults: Fault[] = [];
  const say = (code: FaultCode, detail?: string) => faults.push({ code, line: 0, ...(detail && { detail }) });
  const excess = describeExcess(check.bytes, around.maxBytes);
  if (excess !== undefined) say('FILE_TOO_LARGE', excess);
  if (around.changed) say('MODIFIED_AFTER_CLAIM', 'its size, time or bytes have changed since the claim');
  if (around.meantFor) say('OTHER_MERCHANT', `it was for account "${around.meantFor}"`);
  if (around.sentBefore) say('SENT_BEFORE', around.sentBefore);
  faults.push(...(around.forgotten ?? []));
  for (const [code, detail] of findControlFaults(check, around)) say(code, detail);
  faults.push(...(around.profileFaults ?? []), ...(around.history?.faults ?? []));
  for (const [code, detail] of compareLimits(check, around)) say(code, detail);
  if (around.approvalDue) say('APPROVAL_DUE');
  if (around.sameName) say('NAME_SEEN_BEFORE', `file ${around.sameName}`);
  return { decision: decide(check, faults, around), faults };
}

/** Returns by how much a file is too large; undefined when it is not. Intake asks before it reads a row. */
export function describeExcess(bytes: number, maxBytes: number | undefined): string | undefined {
  return maxBytes === undefined || bytes <= maxBytes ? undefined : `${counted(bytes, 'byte')}, at most ${maxBytes}`;
}

function decide(check: FileCheck, faults: readonly Fault[], around: Circumstances): FileDecision {
  const found = gather(check, faults, around);
  const has = (effect: string) => found.some(({ code }) => effectOf(code, around.effects) === effect);
  // The check has applied the folder's rules to its own faults; other findings can only be more serious.
  const verdict = check.verdict === 'reject' || has('reject') ? 'reject' : has('hold') ? 'hold' : check.verdict;
  if (verdict === 'accept') return { verdict };
  const [main, ...others] = reasonsFor(verdict, found, around.effects);
  const also =
    verdict === 'hold' && others.length > 0 ? `; also ${others.map(({ code }) => saidCode(code)).join('; ')}` : '';
  const { duplicateOf } = around.history ?? {};
  return { verdict, code: main!.code, reason: `${describe(main!)}${also}`, ...(duplicateOf && { duplicateOf }) };
}

/** A code, how often it was found, and the details of the first. */
type Finding = { code: FaultCode; count: number; detail: string | undefined };

/** Returns all findings, each code once: the check's own first, in the order found. */
function gather(check: FileCheck, faults: readonly Fault[], { history }: Circumstances): Finding[] {
  const found = new Map<FaultCode, Finding>();
  const detailOf = (code: FaultCode) => [...faults, ...check.faults].find((fault) => fault.code === code)?.detail;
  for (const [name, count] of Object.entries(check.faultCounts)) {
    const code = name as FaultCode;
    found.set(code, { code, count, detail: detailOf(code) });
  }
  for (const [code, own] of groupBy(faults, (fault) => fault.code))
    if (!found.has(code)) found.set(code, { code, count: own.length, detail: detailOf(code) });
  for (const { code, rows, detail } of history?.charged ?? [])
    found.set(code, { code, count: rows, detail: `the first is ${detail}` });
  return [...found.values()];
}

/**
 * Returns the faults that explain the verdict: security codes before all else, then those with the verdict's own
 * effect. A file with neither is refused for its rows.
 */
function reasonsFor(verdict: 'hold' | 'reject', found: readonly Finding[], effects: EffectRules): Finding[] {
  const codes = found.filter(({ code }) => code === 'SECURITY_CODE');
  if (codes.length > 0) return codes;
  const own = found.filter(({ code }) => effectOf(code, effects) === verdict);
  if (own.length > 0) return own;
  const [other] = found.filter(({ code }) => effectOf(code, effects) !== 'warn');
  return [other ?? { code: 'TOO_MANY_BAD_ROWS', count: 1, detail: undefined }];
}

function describe({ code, count, detail }: Finding): string {
  const rows = ERRORS[code].scope === 'row' && count > 0 ? ` (${counted(count, 'row')})` : '';
  return `${ERRORS[code].means}${rows}${detail ? `: ${detail}` : ''}`;
}

/** Returns what exceeds the limits of account or folder. Withheld rows move nothing and do not count. */
function compareLimits(
  { valid }: FileCheck,
  { limits: { fileRows, fileCents } }: Circumstances,
): [FaultCode, string][] {
  const excesses: [FaultCode, string][] = [];
  if (fileRows !== undefined && valid.rows > fileRows) {
    excesses.push(['LIMIT_FILE_ROWS', `${counted(valid.rows, 'row')}, at most ${fileRows}`]);
  }
  if (fileCents !== undefined && Math.abs(valid.cents) > fileCents) {
    excesses.push(['LIMIT_FILE_TOTAL', `${formatCents(Math.abs(valid.cents))}, at most ${formatCents(fileCents)}`]);
  }
  return excesses;
}

function findControlFaults(check: FileCheck, { control, claimedSha256 }: Circumstances): [FaultCode, string][] {
  if (control === null) return [];
  if ('fault' in control) return [['CONTROL_FILE', control.reason]];
  return compareControl(control, { ...check, sha256: claimedSha256 }).map((says) => ['CONTROL_TOTALS', says]);
}
