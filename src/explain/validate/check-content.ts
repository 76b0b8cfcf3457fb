import {
  type CheckedGroup,
  type CheckOptions,
  checkPaymentFile,
  type CheckRules,
  type FileCheck,
} from '../../csv/check/check-payment-file.ts';
import type { AccountConfig, FolderConfig } from '../../../schemas/config.ts';
import type { Circumstances } from '../../../workers/intake/decide-intake.ts';
import type { Account } from '../../config/config.ts';
import { limitsOf, isApprovalDue } from '../../config/account-rules.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { describeFault } from '../../kernel/errors.ts';
import type { FileDecision } from '../../ledger/file/decide-file.ts';
import type { MessageFault } from '../../pgp/check-message.ts';

/**
 * Reads a payment file from first to last byte and passes its rows on, group by group. It reads the next group only
 * after `takeGroup` returns, so a slow caller costs no memory.
 */
export async function checkContent(
  source: AsyncIterable<Uint8Array>,
  rules: CheckRules,
  takeGroup: (group: CheckedGroup) => void | Promise<void>,
  options: Pick<CheckOptions, 'contentBytes'> = {},
): Promise<FileCheck> {
  const check = checkPaymentFile(source, rules, options);
  for (;;) {
    const step = await check.next();
    if (step.done) return step.value;
    await takeGroup(step.value);
  }
}

/** The rules for checking and deciding about a file before it is dropped. */
export type FolderRules = CheckRules & Pick<Circumstances, 'maxBytes' | 'limits' | 'approvalDue'>;

type Rules = Pick<FolderConfig, 'operation' | 'limits' | 'maxBytes'> & CheckRules['folder'];
type AccountRules = CheckRules['account'] & Pick<Account, 'secondPerson'> & Pick<AccountConfig, 'limits' | 'timeZone'>;

/** Returns the rules by which a folder's intake checks a file and decides about it. */
export function rulesOfFolder<F extends Rules, A extends AccountRules>(account: A, folder: F, now: Date) {
  const limits = limitsOf(account, folder);
  return {
    operation: folder.operation,
    account,
    folder,
    today: dayInZone(now, account.timeZone),
    maxBytes: folder.maxBytes,
    largestRowCents: limits.rowCents,
    limits,
    approvalDue: isApprovalDue(account, folder.operation),
  } satisfies FolderRules;
}

/** Returns the check and decision for a file that is refused before any row is read. */
export function unreadCheck(
  fault: MessageFault,
  file: { bytes: number; sha256: string },
): { check: FileCheck; decision: FileDecision } {
  const { code, detail } = fault;
  const decision = { verdict: 'reject', code, reason: describeFault(fault) } as const;
  const check: FileCheck = {
    verdict: 'reject',
    layout: null,
    headerLine: null,
    faults: [{ code, line: 0, ...(detail !== undefined && { detail }) }],
    faultCounts: { [code]: 1 },
    ...file,
    physicalLines: 0,
    blankLines: 0,
    records: 0,
    valid: { rows: 0, cents: 0 },
    invalid: { rows: 0 },
    declaredCents: 0,
  };
  return { check, decision };
}
