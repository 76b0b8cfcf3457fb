import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import type { Fault } from '../../rows/rows.ts';
import type { FileDecision } from '../../ledger/file/decide-file.ts';

/** Prints as it is told: a file may have a million faults, which nobody should keep. */
export type Report = { fault(fault: Fault): void; end(name: string, check: FileCheck, decision: FileDecision): void };
