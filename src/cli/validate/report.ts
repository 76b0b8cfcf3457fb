import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import type { Fault } from '../../rows/rows.ts';
import type { FileDecision } from '../../ledger/file/decide-file.ts';

/** Prints incrementally: a file may have a million faults, too many to keep. */
export type Report = { fault(fault: Fault): void; end(name: string, check: FileCheck, decision: FileDecision): void };
