import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import { describeFault } from '../../kernel/errors.ts';
import type { FileDecision } from '../../ledger/file/decide-file.ts';
import type { MessageFault } from '../../pgp/check-message.ts';

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
